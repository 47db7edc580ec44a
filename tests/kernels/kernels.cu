// Kernels for tests of the attribute. Each has one property of its own.

// Two with one name.
__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
__global__ void scale(double *x) { x[threadIdx.x] *= 2; }

namespace grid {
template <typename T, int N>
__global__ void shift(T *x) { x[threadIdx.x] += N; }
template __global__ void shift<float, 4>(float *);
}

// 40 KiB of static shared memory.
extern "C" __global__ void tile(float *x) {
    __shared__ float values[10240];
    for (int i = threadIdx.x; i < 10240; i += blockDim.x) values[i] = x[i];
    __syncthreads();
    x[threadIdx.x] = values[(threadIdx.x * 37) % 10240];
}

// Room for 4 blocks of 256 threads, as far as the compiler can make it.
extern "C" __global__ void __launch_bounds__(256, 4) promise(float *x) {
    extern __shared__ float dynamic[];
    dynamic[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = dynamic[255 - threadIdx.x];
}

// At most 128 threads a block.
extern "C" __global__ void __launch_bounds__(128) bounded(float *x) { x[threadIdx.x] += 1; }

// The number of the barrier is held in a register: 16 barriers.
extern "C" __global__ void barriers(int *x) {
    asm volatile("bar.sync %0, 64;" ::"r"(x[0] & 3) : "memory");
    x[threadIdx.x] += 1;
}

// An array in local memory.
extern "C" __global__ void local(int *x, int n) {
    int values[64];
    for (int i = 0; i < 64; ++i) values[i] = x[i];
    for (int i = 0; i < n; ++i) values[x[i] & 63] += i;
    x[threadIdx.x] = values[n & 63];
}

// Calls itself.
__device__ __noinline__ int depth(int n) { return n < 2 ? n : depth(n - 1) + depth(n - 2) * 3; }
extern "C" __global__ void recursive(int *x) { x[threadIdx.x] = depth(x[threadIdx.x]); }

// 32 registers are too few.
extern "C" __global__ void __launch_bounds__(1024, 2) spilled(const float *a, const float *b, float *c) {
    float sum[48];
#pragma unroll
    for (int i = 0; i < 48; ++i) sum[i] = a[i * 1024 + threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < 100; ++k) {
        float factor = b[k];
#pragma unroll
        for (int i = 0; i < 48; ++i) sum[i] = sum[i] * factor + sum[(i + 7) % 48];
    }
#pragma unroll
    for (int i = 0; i < 48; ++i) c[i * 1024 + threadIdx.x] = sum[i];
}

#if defined(CLUSTERS)
extern "C" __global__ void __cluster_dims__(2, 1, 1) paired(float *x) { x[threadIdx.x] += 1; }
extern "C" __global__ void __launch_bounds__(256, 1, 4) ranked(float *x) { x[threadIdx.x] += 1; }
extern "C" __global__ void __block_size__((128, 1, 1)) exact(float *x) { x[threadIdx.x] += 1; }
#endif
