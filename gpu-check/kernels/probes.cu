// Kernels that differ in one resource each. All take (unsigned *out, unsigned n) and add 1 to out[i] for each thread i < n,
// so that a launch can be verified; what else they do never happens, but the compiler does not know.

#define INDEX                                                                                                          \
    (((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * (blockDim.x * blockDim.y * blockDim.z) +        \
     (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)

__device__ __forceinline__ void done(unsigned *out, unsigned n) {
    unsigned i = INDEX;
    if (i < n) out[i] += 1;
}

// So many values that live at once, in at most so many registers.
template <int VALUES>
__device__ __forceinline__ void values(unsigned *out, unsigned n) {
    if (n == 0xffffffffu) {
        float value[VALUES];
#pragma unroll
        for (int i = 0; i < VALUES; ++i) value[i] = __uint_as_float(out[i * 7]);
#pragma unroll 1
        for (unsigned k = 0; k < out[1]; ++k) {
#pragma unroll
            for (int i = 0; i < VALUES; ++i) value[i] = value[i] * value[(i + 1) % VALUES] + 1.0f;
        }
#pragma unroll
        for (int i = 0; i < VALUES; ++i) out[i * 5] = __float_as_uint(value[i]);
    }
    done(out, n);
}

#define REGISTERS(NAME, VALUES)                                                                                        \
    extern "C" __global__ void NAME(unsigned *out, unsigned n) { values<VALUES>(out, n); }

REGISTERS(registers_a, 2)
REGISTERS(registers_b, 12)
REGISTERS(registers_c, 20)
REGISTERS(registers_d, 28)
REGISTERS(registers_e, 44)
REGISTERS(registers_f, 60)
REGISTERS(registers_g, 90)
REGISTERS(registers_h, 120)
REGISTERS(registers_i, 160)
REGISTERS(registers_j, 230)

#define BARRIERS(NAME, LAST)                                                                                           \
    extern "C" __global__ void NAME(unsigned *out, unsigned n) {                                                       \
        if (n == 0xffffffffu) asm volatile("bar.sync " #LAST ", 64;" ::: "memory");                                    \
        done(out, n);                                                                                                  \
    }

BARRIERS(barriers_1, 0)
BARRIERS(barriers_2, 1)
BARRIERS(barriers_4, 3)
BARRIERS(barriers_8, 7)
BARRIERS(barriers_16, 15)

#define SHARED(NAME, BYTES)                                                                                            \
    extern "C" __global__ void NAME(unsigned *out, unsigned n) {                                                       \
        __shared__ unsigned values[BYTES / 4];                                                                         \
        if (n == 0xffffffffu) {                                                                                        \
            values[threadIdx.x] = out[threadIdx.x];                                                                    \
            __syncthreads();                                                                                           \
            out[threadIdx.x] = values[out[0]];                                                                         \
        }                                                                                                              \
        done(out, n);                                                                                                  \
    }

SHARED(shared_1k, 1024)
SHARED(shared_16k, 16384)
SHARED(shared_48k, 49152)

extern "C" __global__ void __launch_bounds__(128) bounded(unsigned *out, unsigned n) { done(out, n); }

extern "C" __global__ void dynamic(unsigned *out, unsigned n) {
    extern __shared__ unsigned reserved[];
    if (n == 0xffffffffu) out[0] = reserved[out[1]];
    done(out, n);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(unsigned *out, unsigned n) { done(out, n); }
#endif

extern "C" __global__ void local(unsigned *out, unsigned n) {
    unsigned values[64];
    if (n == 0xffffffffu) {
        for (int i = 0; i < 64; ++i) values[i] = out[i];
        for (unsigned i = 0; i < out[2]; ++i) values[out[i] & 63] += i;
        out[0] = values[out[3] & 63];
    }
    done(out, n);
}

__device__ __noinline__ unsigned depth(unsigned n) { return n < 2 ? n : depth(n - 1) + depth(n - 2) * 3; }

extern "C" __global__ void recursive(unsigned *out, unsigned n) {
    if (n == 0xffffffffu) out[0] = depth(out[1]);
    done(out, n);
}
