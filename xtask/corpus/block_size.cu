// `__block_size__`: grids that count clusters, PTX 9.0.

#define KERNEL extern "C" __global__ void

KERNEL __block_size__((32, 4, 1)) block_size(int *out) { out[threadIdx.x] += 1; }
KERNEL __block_size__((32, 4, 1), (2, 2, 1)) block_size_of_clusters(int *out) { out[threadIdx.x] += 1; }
