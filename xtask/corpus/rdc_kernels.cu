// Kernels whose callees are in another unit: `rdc_functions.cu`.

#define KERNEL extern "C" __global__ void

__device__ float heavy(float *values);
__device__ void waits(int *values);
__device__ int stacked(int *values, int n);
__device__ int unknown_stack(int *values, int n);

KERNEL calls_heavy(float *out) { out[threadIdx.x] = heavy(out); }

KERNEL calls_waits(int *out) {
    __shared__ int fixed[33];
    fixed[threadIdx.x % 33] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = fixed[(threadIdx.x + 1) % 33];
    waits(out);
}

KERNEL calls_stacked(int *out, int n) { out[threadIdx.x] = stacked(out, n); }

KERNEL calls_unknown_stack(int *out, int n) { out[threadIdx.x] = unknown_stack(out, n); }

KERNEL __launch_bounds__(128, 4) calls_nothing(int *out) { out[threadIdx.x] += 1; }

template <typename T>
__global__ void weak(T *out) {
    out[threadIdx.x] += 1;
}
template __global__ void weak<float>(float *);

static __global__ void rdc_static(int *out) { out[threadIdx.x] = 3; }
void *unnamed = reinterpret_cast<void *>(rdc_static);
