// What `rdc_kernels.cu` calls: registers, barriers, shared memory and stack that only the device linker adds up.

extern __shared__ __align__(128) float dynamic[];

__device__ float heavy(float *values) {
    float value[50];
#pragma unroll
    for (int i = 0; i < 50; ++i) value[i] = values[i * 32];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 50; ++i) sum = sum * value[i] + value[(i * 7) % 50];
    return sum + dynamic[0];
}

__device__ void waits(int *values) {
    __shared__ int fixed[16];
    fixed[threadIdx.x & 15] = values[1];
    asm volatile("bar.sync 3, 64;");
    values[0] = fixed[values[2] & 15];
}

__device__ int stacked(int *values, int n) {
    int array[30];
    for (int i = 0; i < 30; ++i) array[i] = values[i];
    for (int i = 0; i < n; ++i) array[values[i] % 30] += array[i % 30];
    return array[n % 30];
}

__device__ int unknown_stack(int *values, int n) {
    int array[40];
    for (int i = 0; i < 40; ++i) array[i] = values[i];
    return n == 0 ? array[values[0] % 40] : unknown_stack(array, n - 1);
}
