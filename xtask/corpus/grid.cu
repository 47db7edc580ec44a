// Cooperative grids: 7.0 and later.

#include <cooperative_groups.h>

extern "C" __global__ void cooperative_grid(int *out) {
    cooperative_groups::this_grid().sync();
    out[threadIdx.x] += 1;
}
