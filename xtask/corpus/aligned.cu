// An `extern` array with a large alignment: every static size of the file is rounded up to it.

#define KERNEL extern "C" __global__ void

extern __shared__ __align__(1024) float aligned_dynamic[];
extern __shared__ float other_dynamic[];

KERNEL aligned_both(float *out) {
    __shared__ float fixed[33];
    fixed[threadIdx.x % 33] = out[threadIdx.x];
    aligned_dynamic[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = aligned_dynamic[threadIdx.x ^ 1] + fixed[(threadIdx.x + 1) % 33];
}

KERNEL aligned_sister(float *out) {
    __shared__ float fixed[33];
    fixed[threadIdx.x % 33] = out[threadIdx.x];
    other_dynamic[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = other_dynamic[threadIdx.x ^ 1] + fixed[(threadIdx.x + 1) % 33];
}

KERNEL aligned_alone(float *out) {
    aligned_dynamic[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = aligned_dynamic[threadIdx.x ^ 1];
}

KERNEL aligned_static_only(float *out) {
    __shared__ float fixed[33];
    fixed[threadIdx.x % 33] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = fixed[(threadIdx.x + 1) % 33];
}

KERNEL aligned_none(float *out) { out[threadIdx.x] = 1; }
