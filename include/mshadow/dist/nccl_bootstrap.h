// SPDX-License-Identifier: Apache-2.0
// How ranks of NCCL find each other: files with NCCL's id, and what ranks tell before they have a
// communicator.
#ifndef MSHADOW_DIST_NCCL_BOOTSTRAP_H_
#define MSHADOW_DIST_NCCL_BOOTSTRAP_H_

#include "nccl_channel.h"

#if MSHADOW_DIST_USE_NCCL

#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "../interop/file_writer.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::nccl {

/// Writes `id` to a new file `path`: who sees it sees all of it. Throws Error with the path.
inline void WriteId(const std::string& path, const ncclUniqueId& id) {
  interop::FileWriter file(path);
  file.Write(&id, sizeof(id));
  file.Close();
}

/// True if the file was there; throws Error where it holds something else.
inline bool ReadId(const std::string& path, ncclUniqueId* id) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  const bool read = std::fread(id, sizeof(*id), 1, file) == 1 && std::fgetc(file) == EOF;
  static_cast<void>(std::fclose(file));
  MSHADOW_CHECK(read) << "NcclProvider: " << path << " does not hold an id of NCCL";
  return true;
}

/// The id that rank 0 writes to the file `path`, where the others find it.
inline ncclUniqueId IdInFile(const std::string& path, int rank, const Deadline& deadline) {
  ncclUniqueId id;
  if (rank == 0) {
    Check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    WriteId(path, id);
  } else {
    deadline.Wait("NcclProvider: the wait for the file " + path,
                  [&] { return ReadId(path, &id); });
  }
  return id;
}

/// What ranks tell each other before they have a communicator.
struct Hello {
  ncclUniqueId id;  // of rank 0
  char host[64];
  char device[16];  // PCI bus
  std::int64_t process;
};

inline Hello HelloOf(int device) {
  Hello hello = {};
  static_cast<void>(gethostname(hello.host, sizeof(hello.host) - 1));
  cuda::Check(cudaDeviceGetPCIBusId(hello.device, sizeof(hello.device), device),
              "cudaDeviceGetPCIBusId");
  hello.process = getpid();
  return hello;
}

inline bool OnOneHost(const Hello& a, const Hello& b) {
  return std::string(a.host) == b.host;
}

/// NCCL takes each device once: CollectiveError with both ranks.
inline void CheckDevices(const std::vector<Hello>& ranks) {
  for (std::size_t b = 0; b < ranks.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (!OnOneHost(ranks[a], ranks[b]) ||
          std::string(ranks[a].device) != ranks[b].device) {
        continue;
      }
      throw CollectiveError("NcclProvider: ranks " + std::to_string(a) + " and " +
                                std::to_string(b) + " are both on device " + ranks[a].device +
                                " of " + ranks[a].host +
                                "; give each its own by InitTensorEngine<gpu>(id)",
                            {static_cast<int>(a), static_cast<int>(b)});
    }
  }
}

inline void WaitForAll(std::vector<Provider::OperationPointer> operations, const char* what,
                       const Deadline& deadline) {
  deadline.Wait(what, [&] {
    bool done = true;
    for (Provider::OperationPointer& operation : operations) {
      if (operation != nullptr && operation->Poll()) operation.reset();
      done = done && operation == nullptr;
    }
    return done;
  });
}

/// What all ranks tell, through each of the companions; rank 0 has made an id.
inline std::vector<std::vector<Hello>> Exchange(
    const std::vector<std::unique_ptr<Provider>>& companions, const std::vector<int>& devices,
    const Deadline& deadline) {
  std::vector<Hello> own(companions.size());
  std::vector<std::vector<Hello>> all(companions.size());
  std::vector<Provider::OperationPointer> gathers;
  for (std::size_t i = 0; i < companions.size(); ++i) {
    own[i] = HelloOf(devices[i]);
    if (companions[i]->rank() == 0) Check(ncclGetUniqueId(&own[i].id), "ncclGetUniqueId");
    all[i].resize(companions[i]->size());
    gathers.push_back(companions[i]->AllGather(&own[i], all[i].data(), sizeof(Hello)));
  }
  WaitForAll(std::move(gathers), "NcclProvider: the exchange of NCCL's id", deadline);
  for (const std::vector<Hello>& ranks : all) CheckDevices(ranks);
  return all;
}

}  // namespace dist::nccl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_NCCL
#endif  // MSHADOW_DIST_NCCL_BOOTSTRAP_H_
