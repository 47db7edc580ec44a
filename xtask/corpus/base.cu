// Kernels for every capability: what each is for is its name. `aligned.cu` has those that would change the sizes here.

#include <cooperative_groups.h>
#include <cstdio>

#define KERNEL extern "C" __global__ void

KERNEL empty() {}

KERNEL saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// Registers.

template <int N>
__device__ void many_values(float *out) {
    float value[N];
#pragma unroll
    for (int i = 0; i < N; ++i) value[i] = out[i * 32];
#pragma unroll
    for (int i = 0; i < N; ++i) value[i] = value[i] * value[(i + 7) % N] + value[(i * 3) % N];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; ++i) out[i * 32] = value[N - 1 - i];
}

KERNEL registers_60(float *out) { many_values<40>(out + threadIdx.x); }
KERNEL registers_150(float *out) { many_values<130>(out + threadIdx.x); }
KERNEL registers_255(float *out) { many_values<300>(out + threadIdx.x); }
KERNEL __maxnreg__(40) maxnreg_40(float *out) { many_values<130>(out + threadIdx.x); }
KERNEL double_sine(double *out) { out[threadIdx.x] = sin(out[threadIdx.x]) + tan(out[threadIdx.x + 1]); }

// Launch bounds.

KERNEL __launch_bounds__(256) bounds_256(float *out) { many_values<130>(out + threadIdx.x); }
KERNEL __launch_bounds__(256, 2) bounds_256_2(float *out) { many_values<130>(out + threadIdx.x); }
KERNEL __launch_bounds__(1024, 1) bounds_1024_1(float *out) { many_values<130>(out + threadIdx.x); }

// Static and dynamic shared memory.

extern __shared__ float dynamic[];

template <int BYTES>
__device__ void through_smem(unsigned char *out) {
    __shared__ unsigned char buffer[BYTES];
    buffer[(threadIdx.x * 7) % BYTES] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = buffer[(threadIdx.x * 5) % BYTES];
}

KERNEL smem_1(unsigned char *out) { through_smem<1>(out); }
KERNEL smem_101(unsigned char *out) { through_smem<101>(out); }
KERNEL smem_2048(unsigned char *out) { through_smem<2048>(out); }
KERNEL smem_49152(unsigned char *out) { through_smem<49152>(out); }

KERNEL smem_dynamic(float *out) {
    dynamic[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}

KERNEL smem_both(float *out) {
    __shared__ float fixed[33];
    dynamic[threadIdx.x] = out[threadIdx.x];
    fixed[threadIdx.x % 33] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x ^ 1] + fixed[(threadIdx.x + 1) % 33];
}

// Barriers.

KERNEL barriers_0_and_5(int *out) {
    asm volatile("bar.sync 0;");
    out[threadIdx.x] += 1;
    asm volatile("bar.sync 5, 64;");
}

KERNEL barriers_all(int *out) {
    asm volatile(
        "bar.sync 0; bar.sync 1; bar.sync 2; bar.sync 3; bar.sync 4; bar.sync 5; bar.sync 6; bar.sync 7;"
        "bar.sync 8; bar.sync 9; bar.sync 10; bar.sync 11; bar.sync 12; bar.sync 13; bar.sync 14; bar.sync 15;");
    out[threadIdx.x] += 1;
}

KERNEL barrier_15(int *out) {
    asm volatile("bar.sync 15, 128;");
    out[threadIdx.x] += 1;
}

KERNEL barrier_of_register(int *out) {
    asm volatile("bar.sync %0, 64;" ::"r"(out[0] & 3));
    out[threadIdx.x] += 1;
}

KERNEL cooperative_block(int *out) {
    cooperative_groups::this_thread_block().sync();
    out[threadIdx.x] += 1;
}

// Stacks.

KERNEL local_array(int *out, int n) {
    int array[100];
    for (int i = 0; i < 100; ++i) array[i] = out[i];
    for (int i = 0; i < n; ++i) array[(i * out[i]) % 100] += array[i % 100];
    out[0] = array[n];
}

KERNEL prints(int *out) { printf("%d %f\n", out[threadIdx.x], 1.5); }

KERNEL allocates(int **out) { out[threadIdx.x] = static_cast<int *>(malloc(threadIdx.x * 4)); }

__device__ __noinline__ int callee(int *values, int n) {
    int array[32];
    for (int i = 0; i < 32; ++i) array[i] = values[i];
    for (int i = 0; i < n; ++i) array[values[i] & 31] += array[i & 31];
    __syncthreads();
    return array[n & 31];
}

__device__ __noinline__ int other_callee(int *values, int n) { return values[n] * 3; }

KERNEL calls(int *out, int n) { out[threadIdx.x] = callee(out, n); }

__device__ __noinline__ int recursive(int *values, int n) {
    return n < 2 ? values[n & 1] : recursive(values, n - 1) * values[n & 7] + recursive(values + 1, n - 2);
}

KERNEL recurses(int *out, int n) { out[threadIdx.x] = recursive(out, n); }

using Function = int (*)(int *, int);
__device__ Function functions[2] = {callee, other_callee};

KERNEL calls_through_table(int *out, int n) { out[threadIdx.x] = functions[n & 1](out, n); }

KERNEL calls_any(int *out, Function function, int n) { out[threadIdx.x] = function(out, n); }

// Constants and textures.

__constant__ float table[64];

KERNEL constants(float *out) { out[threadIdx.x] = table[threadIdx.x & 63] * 1.2345678f; }

KERNEL textures(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x) + tex2D<float>(texture, 0.5f, out[threadIdx.x]);
}

KERNEL surfaces(cudaSurfaceObject_t surface, float *out) {
    float value;
    surf2Dread(&value, surface, threadIdx.x * 4, 0);
    out[threadIdx.x] = value;
}

// Names.

template <typename T, int N>
__global__ void templated(T *out) {
    __shared__ T buffer[N];
    buffer[threadIdx.x % N] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = buffer[(threadIdx.x + 1) % N];
}

template __global__ void templated<float, 4>(float *);
template __global__ void templated<double, 8>(double *);

namespace outer::inner {
__global__ void in_namespace(int *out) { out[threadIdx.x] = 1; }
}

namespace {
__global__ void anonymous(int *out) { out[threadIdx.x] = 2; }
}

static __global__ void file_static(int *out) { out[threadIdx.x] = 3; }

// Keeps the two that nothing outside can name.
void *unnamed[] = {reinterpret_cast<void *>(anonymous), reinterpret_cast<void *>(file_static)};
