// y = a x + y over n elements, in tiles of BLOCK * PER_THREAD elements.

constexpr unsigned int BLOCK = 256;
constexpr unsigned int PER_THREAD = 32;

// How many elements of a tile a thread works on at once. Each takes registers while it is loaded.
constexpr int AT_ONCE = UNROLL;

extern "C" __global__ void __launch_bounds__(BLOCK, 1)
saxpy(unsigned int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    constexpr unsigned int TILE = BLOCK * PER_THREAD;
    for (unsigned int tile = blockIdx.x; tile < n / TILE; tile += gridDim.x) {
        const float *from = x + tile * TILE + threadIdx.x;
        float *to = y + tile * TILE + threadIdx.x;
#pragma unroll AT_ONCE
        for (unsigned int i = 0; i < TILE; i += BLOCK) {
            to[i] += a * from[i];
        }
    }
    // What is left over fills no tile.
    for (unsigned int i = n / TILE * TILE + blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        y[i] += a * x[i];
    }
}
