// Clusters and mbarriers: 9.0 and later.

#include <cooperative_groups.h>

#define KERNEL extern "C" __global__ void

KERNEL __cluster_dims__(2, 1, 1) cluster_2(int *out) { out[threadIdx.x] += 1; }
KERNEL __cluster_dims__(1, 1, 1) cluster_1(int *out) { out[threadIdx.x] += 1; }
KERNEL __cluster_dims__(2, 2, 2) __launch_bounds__(128) cluster_2_2_2(int *out) { out[threadIdx.x] += 1; }
KERNEL __launch_bounds__(256, 1, 4) bounds_256_1_4(int *out) { out[threadIdx.x] += 1; }

KERNEL cluster_sync(int *out) {
    cooperative_groups::this_cluster().sync();
    out[threadIdx.x] += 1;
}

KERNEL mbarrier(int *out) {
    __shared__ unsigned long long barrier;
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address));
    __syncwarp();
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address));
    out[threadIdx.x] = static_cast<int>(state);
}
