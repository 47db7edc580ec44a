// Asks NVIDIA's cuda_occupancy.h what xtask asks, over standard input and output.
//
// Every message is a row of 32-bit words in the machine's byte order; xtask/src/header.rs is the other end. First
// come the devices, then what the mode of the command line says. The rows are those of xtask/src/vector.rs.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cuda_occupancy.h"

namespace {

// No limit, not known, no answer.
constexpr std::uint32_t NONE = UINT32_MAX;
// The dynamic shared memory a function may use where a search must not be capped by it.
constexpr std::size_t ANY_DYNAMIC = std::size_t(1) << 30;

struct Device {
    std::uint32_t major, minor, threads_per_block, threads_per_sm, registers_per_block, registers_per_sm, warp_size,
        smem_per_block, smem_per_sm, smem_per_block_optin, smem_reserved;
};

struct Case {
    std::uint32_t device, threads, registers, static_smem, dynamic_smem, optin, carveout, barriers, virtual_resources,
        l1_caching, max_threads, smem_per_block, smem_per_thread, blocks;
};

struct Answer {
    std::uint32_t warps, blocks, registers, smem, barriers, virtual_resources, active, limiters, registers_per_block,
        smem_per_block, l1_caching, smem_preferred, smem_per_sm, best_threads, best_blocks, linear_threads, linear_blocks,
        available;
};

[[noreturn]] void fail(const char *what) {
    std::fprintf(stderr, "header: %s\n", what);
    std::exit(1);
}

void check(cudaOccError status, const char *what) {
    if (status != CUDA_OCC_SUCCESS) {
        fail(what);
    }
}

template <typename T> bool read(T *into, std::size_t count) {
    return std::fread(into, sizeof(T), count, stdin) == count;
}

template <typename T> void write(const T *from, std::size_t count) {
    if (std::fwrite(from, sizeof(T), count, stdout) != count) {
        fail("the answer could not be written");
    }
}

std::uint32_t number() {
    std::uint32_t value;
    return read(&value, 1) ? value : 0;
}

template <typename T> std::vector<T> rows() {
    std::vector<T> rows(number());
    if (!read(rows.data(), rows.size())) {
        fail("a message ends too early");
    }
    return rows;
}

cudaOccDeviceProp properties(const Device &device) {
    cudaOccDeviceProp to;
    to.computeMajor = int(device.major);
    to.computeMinor = int(device.minor);
    to.maxThreadsPerBlock = int(device.threads_per_block);
    to.maxThreadsPerMultiprocessor = int(device.threads_per_sm);
    to.regsPerBlock = int(device.registers_per_block);
    to.regsPerMultiprocessor = int(device.registers_per_sm);
    to.warpSize = int(device.warp_size);
    to.sharedMemPerBlock = device.smem_per_block;
    to.sharedMemPerMultiprocessor = device.smem_per_sm;
    to.numSms = 1;
    to.sharedMemPerBlockOptin = device.smem_per_block_optin;
    to.reservedSharedMemPerBlock = device.smem_reserved;
    return to;
}

// A function that was raised to `dynamic` bytes of dynamic shared memory.
cudaOccFuncAttributes attributes(const Case &asked, std::size_t dynamic) {
    cudaOccFuncAttributes to;
    to.maxThreadsPerBlock = asked.max_threads > INT_MAX ? INT_MAX : int(asked.max_threads);
    to.numRegs = asked.registers == NONE ? 0 : int(asked.registers);
    to.sharedSizeBytes = asked.static_smem;
    to.partitionedGCConfig = asked.l1_caching ? PARTITIONED_GC_ON : PARTITIONED_GC_OFF;
    to.shmemLimitConfig = asked.optin ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    to.maxDynamicSharedSizeBytes = dynamic;
    to.numBlockBarriers = int(asked.barriers);
    to.virtualResourceCount = int(asked.virtual_resources);
    return to;
}

// 0 to 100 are percent, 101 to 104 the cache configurations.
cudaOccDeviceState state(const Case &asked) {
    cudaOccDeviceState to;
    if (asked.carveout <= 100) {
        to.carveoutConfig = int(asked.carveout);
    } else {
        to.cacheConfig = cudaOccCacheConfig(asked.carveout - 101);
    }
    return to;
}

std::uint32_t limit(int blocks) {
    return blocks == INT_MAX ? NONE : std::uint32_t(blocks);
}

Answer answer(const std::vector<cudaOccDeviceProp> &devices, const Case &asked) {
    const cudaOccDeviceProp &device = devices.at(asked.device);
    const cudaOccDeviceState split = state(asked);
    const cudaOccFuncAttributes launched = attributes(asked, asked.dynamic_smem);
    const cudaOccFuncAttributes searched = attributes(asked, ANY_DYNAMIC);
    Answer to = {};

    cudaOccResult result;
    check(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &launched, &split, int(asked.threads),
                                                  asked.dynamic_smem),
          "an occupancy could not be computed");
    to.warps = limit(result.blockLimitWarps);
    to.blocks = limit(result.blockLimitBlocks);
    to.registers = limit(result.blockLimitRegs);
    to.smem = limit(result.blockLimitSharedMem);
    to.barriers = limit(result.blockLimitBarriers);
    to.virtual_resources = limit(result.blockLimitVirtual);
    to.active = std::uint32_t(result.activeBlocksPerMultiprocessor);
    to.limiters = result.limitingFactors;
    to.registers_per_block = std::uint32_t(result.allocatedRegistersPerBlock);
    to.smem_per_block = std::uint32_t(result.allocatedSharedMemPerBlock);
    to.l1_caching = result.partitionedGCConfig != PARTITIONED_GC_OFF;

    std::size_t bytes;
    check(cudaOccSMemPerMultiprocessor(&bytes, &device, &split), "a preferred split could not be computed");
    to.smem_preferred = std::uint32_t(bytes);
    if (to.smem != 0 && bytes < result.allocatedSharedMemPerBlock) {
        bytes = device.sharedMemPerMultiprocessor;
        if (device.computeMajor >= 7) {
            bytes = result.allocatedSharedMemPerBlock;
            check(cudaOccAlignUpShmemSizeVoltaPlus(&bytes, &device), "a raised split could not be computed");
        }
    }
    to.smem_per_sm = std::uint32_t(bytes);

    int grid, block;
    check(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &launched, &split, asked.dynamic_smem),
          "a block size could not be searched");
    to.best_threads = std::uint32_t(block);
    to.best_blocks = std::uint32_t(grid);

    check(cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
              &grid, &block, &device, &searched, &split,
              [&asked](int threads) {
                  return asked.smem_per_block + std::size_t(asked.smem_per_thread) * std::size_t(threads);
              }),
          "a block size with variable shared memory could not be searched");
    to.linear_threads = std::uint32_t(block);
    to.linear_blocks = std::uint32_t(grid);

    const cudaOccError status = cudaOccAvailableDynamicSMemPerBlock(&bytes, &device, &searched, &split,
                                                                    int(asked.blocks), int(asked.threads));
    to.available = status == CUDA_OCC_SUCCESS ? std::uint32_t(bytes) : NONE;
    return to;
}

// Batches of cases, each answered as it comes, until the input ends.
void answers(const std::vector<cudaOccDeviceProp> &devices) {
    std::vector<Answer> answered;
    for (std::vector<Case> asked = rows<Case>(); !asked.empty(); asked = rows<Case>()) {
        answered.clear();
        for (const Case &one : asked) {
            answered.push_back(answer(devices, one));
        }
        write(answered.data(), answered.size());
        std::fflush(stdout);
    }
}

// What the header itself knows of each device: 8 numbers, how many sizes of shared memory there are, and those.
void table(const std::vector<cudaOccDeviceProp> &devices) {
    for (const cudaOccDeviceProp &device : devices) {
        int smem_unit, registers, register_unit, parts, blocks, virtual_resources, barriers = 0;
        cudaOccPartitionedGCSupport partitioned;
        check(cudaOccSMemAllocationGranularity(&smem_unit, &device), "no granularity of shared memory");
        check(cudaOccRegAllocationMaxPerThread(&registers, &device), "no registers per thread");
        check(cudaOccRegAllocationGranularity(&register_unit, &device), "no granularity of registers");
        check(cudaOccSubPartitionsPerMultiprocessor(&parts, &device), "no sub-partitions");
        check(cudaOccMaxBlocksPerMultiprocessor(&blocks, &device), "no blocks per SM");
        check(cudaOccMaxVirtualResourceCountPerSM(&virtual_resources, &device), "no virtual resources");
        check(cudaOccPartitionedGlobalCachingModeSupport(&partitioned, &device), "no partitioned caching");
        if (device.computeMajor >= 9) {
            cudaOccFuncAttributes one_barrier;
            one_barrier.numBlockBarriers = 1;
            check(cudaOccMaxBlocksPerSMBlockBarrierLimit(&barriers, blocks, &device, &one_barrier), "no barriers");
        }
        std::vector<std::uint32_t> row = {
            std::uint32_t(smem_unit), std::uint32_t(registers),         std::uint32_t(register_unit),
            std::uint32_t(parts),     std::uint32_t(blocks),            std::uint32_t(barriers),
            std::uint32_t(virtual_resources), std::uint32_t(partitioned == PARTITIONED_GC_SUPPORTED), 0};
        if (device.computeMajor >= 7) {
            std::size_t size = 0;
            while (cudaOccAlignUpShmemSizeVoltaPlus(&size, &device) == CUDA_OCC_SUCCESS) {
                row.push_back(std::uint32_t(size));
                row[8] += 1;
                size += 1;
            }
        }
        write(row.data(), row.size());
    }
}

std::uint64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
    return std::uint64_t(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count());
}

struct Prepared {
    std::uint32_t device;
    int threads;
    std::size_t dynamic;
    cudaOccFuncAttributes attributes;
    cudaOccDeviceState state;
};

// The same launches again and again: nanoseconds and a checksum of the answers, once for every word that arrives.
void evaluations(const std::vector<cudaOccDeviceProp> &devices) {
    std::vector<Prepared> launches;
    for (const Case &one : rows<Case>()) {
        launches.push_back({one.device, int(one.threads), one.dynamic_smem, attributes(one, one.dynamic_smem),
                            state(one)});
    }
    while (number() != 0) {
        const auto start = std::chrono::steady_clock::now();
        std::uint64_t sum = 0;
        for (const Prepared &one : launches) {
            cudaOccResult result;
            if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &devices[one.device], &one.attributes, &one.state,
                                                        one.threads, one.dynamic) != CUDA_OCC_SUCCESS ||
                result.activeBlocksPerMultiprocessor == 0) {
                sum += 1;
                continue;
            }
            sum += std::uint64_t(result.activeBlocksPerMultiprocessor) * 3;
            sum += std::uint64_t(result.blockLimitWarps) * 5;
            sum += std::uint64_t(result.blockLimitRegs) * 7;
            sum += std::uint64_t(result.blockLimitSharedMem) * 11;
            sum += std::uint64_t(result.blockLimitBarriers) * 13;
            sum += std::uint64_t(result.blockLimitVirtual) * 17;
            sum += std::uint64_t(result.allocatedRegistersPerBlock) * 19;
            sum += std::uint64_t(result.allocatedSharedMemPerBlock) * 23;
        }
        const std::uint64_t reply[] = {nanoseconds_since(start), sum};
        write(reply, 2);
        std::fflush(stdout);
    }
}

// Blocks per SM for 1 to 1024 threads and 1 to 255 registers of each case: nanoseconds and one byte a point.
void maps(const std::vector<cudaOccDeviceProp> &devices) {
    std::vector<std::uint8_t> map(1024 * 255);
    for (std::vector<Case> asked = rows<Case>(); !asked.empty(); asked = rows<Case>()) {
        for (const Case &one : asked) {
            const cudaOccDeviceProp &device = devices.at(one.device);
            const cudaOccDeviceState split = state(one);
            cudaOccFuncAttributes function = attributes(one, one.dynamic_smem);
            const auto start = std::chrono::steady_clock::now();
            std::uint8_t *point = map.data();
            for (int threads = 1; threads <= 1024; ++threads) {
                for (int registers = 1; registers <= 255; ++registers) {
                    cudaOccResult result;
                    function.numRegs = registers;
                    const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
                        &result, &device, &function, &split, threads, one.dynamic_smem);
                    *point++ = status == CUDA_OCC_SUCCESS ? std::uint8_t(result.activeBlocksPerMultiprocessor) : 255;
                }
            }
            const std::uint64_t time = nanoseconds_since(start);
            write(&time, 1);
            write(map.data(), map.size());
        }
        std::fflush(stdout);
    }
}

} // namespace

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    std::vector<cudaOccDeviceProp> devices;
    for (const Device &device : rows<Device>()) {
        devices.push_back(properties(device));
    }
    if (std::strcmp(mode, "answers") == 0) {
        answers(devices);
    } else if (std::strcmp(mode, "table") == 0) {
        table(devices);
    } else if (std::strcmp(mode, "evaluations") == 0) {
        evaluations(devices);
    } else if (std::strcmp(mode, "maps") == 0) {
        maps(devices);
    } else {
        fail("unknown mode");
    }
    return 0;
}
