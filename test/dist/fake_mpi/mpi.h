// SPDX-License-Identifier: Apache-2.0
// The calls of MPI that include/mshadow/dist makes, for ranks that take turns on one thread: what is
// done with them is tested without MPI, for as many ranks as one likes, under sanitizers. Like MPI it
// moves bytes inside calls only, and a receive that has met its message cannot be cancelled.
#ifndef MSHADOW_TEST_DIST_FAKE_MPI_MPI_H_
#define MSHADOW_TEST_DIST_FAKE_MPI_MPI_H_

#include <algorithm>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

enum {
  MPI_SUCCESS, MPI_ERR_IN_STATUS, MPI_ERR_PENDING, MPI_ERR_TRUNCATE,
  MPI_ANY_SOURCE = -1, MPI_TAG_UB = 0, MPI_ERRORS_RETURN = 0,
  MPI_MAX_ERROR_STRING = 64, MPI_MAX_PROCESSOR_NAME = 64
};
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum MPI_Comm { MPI_COMM_NULL, MPI_COMM_WORLD };
enum MPI_Datatype { MPI_BYTE, MPI_CHAR };
struct MPI_Status {
  int MPI_SOURCE, MPI_ERROR, bytes;
};

namespace fake {

/// One end of a message.
struct End {
  char* data;
  int bytes;
  std::unique_ptr<char[]> own;  // of what is sent at once
  std::shared_ptr<End> other;   // that it has met
  bool done = false;
  int status_bytes = 0, error = MPI_SUCCESS;
};
struct Line {
  std::deque<std::shared_ptr<End>> sends, receives;
};
struct Mpi {
  int rank = 0, size = 40;     // of the process whose turn it is
  int level = MPI_THREAD_SERIALIZED;
  bool stalled = false;        // what has met does not move
  long calls = 0;
  std::map<std::tuple<int, int, int>, Line> lines;  // by from, to, tag
  std::list<std::shared_ptr<End>> met;              // receives
};
inline Mpi& TheMpi() {
  static Mpi mpi;
  return mpi;
}
constexpr int kEagerBytes = 1024;

inline void Progress() {
  Mpi& mpi = TheMpi();
  ++mpi.calls;
  if (mpi.stalled) return;
  for (const auto& receive : mpi.met) {
    End& send = *receive->other;
    receive->status_bytes = std::min(send.bytes, receive->bytes);
    receive->error = send.bytes > receive->bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    std::memcpy(receive->data, send.data, static_cast<std::size_t>(receive->status_bytes));
    receive->done = send.done = true;
    receive->other.reset();
  }
  mpi.met.clear();
}
inline void Meet(Line* line) {
  if (line->sends.empty() || line->receives.empty()) return;
  line->receives.front()->other = line->sends.front();
  TheMpi().met.push_back(line->receives.front());
  line->sends.pop_front();
  line->receives.pop_front();
}

}  // namespace fake

using MPI_Request = std::shared_ptr<fake::End>;
const MPI_Request MPI_REQUEST_NULL;
MPI_Status* const MPI_STATUS_IGNORE = nullptr;

inline int MPI_Initialized(int* flag) { return *flag = 1, MPI_SUCCESS; }
inline int MPI_Init_thread(int*, char***, int, int*) { return MPI_SUCCESS; }
inline int MPI_Query_thread(int* level) { return *level = fake::TheMpi().level, MPI_SUCCESS; }
inline int MPI_Finalized(int* flag) { return *flag = 0, MPI_SUCCESS; }
inline int MPI_Finalize() { return MPI_SUCCESS; }
inline int MPI_Abort(MPI_Comm, int) { return MPI_SUCCESS; }
inline int MPI_Comm_dup(MPI_Comm, MPI_Comm* comm) { return *comm = MPI_COMM_WORLD, MPI_SUCCESS; }
inline int MPI_Comm_set_errhandler(MPI_Comm, int) { return MPI_SUCCESS; }
inline int MPI_Comm_rank(MPI_Comm, int* rank) { return *rank = fake::TheMpi().rank, MPI_SUCCESS; }
inline int MPI_Comm_size(MPI_Comm, int* size) { return *size = fake::TheMpi().size, MPI_SUCCESS; }
inline int MPI_Comm_get_attr(MPI_Comm, int, void*, int* flag) { return *flag = 0, MPI_SUCCESS; }
inline int MPI_Get_processor_name(char* name, int* length) {
  std::strcpy(name, "here");
  return *length = 4, MPI_SUCCESS;
}
/// All ranks say the same.
inline int MPI_Allgather(const void* in, int bytes, MPI_Datatype, void* out, int, MPI_Datatype,
                         MPI_Comm) {
  for (int r = 0; r < fake::TheMpi().size; ++r) {
    std::memcpy(static_cast<char*>(out) + r * bytes, in, static_cast<std::size_t>(bytes));
  }
  return MPI_SUCCESS;
}
inline int MPI_Ibarrier(MPI_Comm, MPI_Request*) { return MPI_SUCCESS; }
inline int MPI_Error_string(int, char* text, int* length) {
  std::strcpy(text, "truncated");
  return *length = 9, MPI_SUCCESS;
}

inline int MPI_Isend(const void* data, int bytes, MPI_Datatype, int to, int tag, MPI_Comm,
                     MPI_Request* request) {
  fake::Progress();
  auto end = std::make_shared<fake::End>();
  end->data = static_cast<char*>(const_cast<void*>(data));
  end->bytes = bytes;
  if (bytes <= fake::kEagerBytes) {
    end->own.reset(new char[static_cast<std::size_t>(bytes)]);
    std::memcpy(end->own.get(), data, static_cast<std::size_t>(bytes));
    end->data = end->own.get();
    end->done = true;
  }
  fake::Line& line = fake::TheMpi().lines[{fake::TheMpi().rank, to, tag}];
  line.sends.push_back(*request = end);
  fake::Meet(&line);
  return MPI_SUCCESS;
}
inline int MPI_Irecv(void* data, int bytes, MPI_Datatype, int from, int tag, MPI_Comm,
                     MPI_Request* request) {
  fake::Progress();
  auto end = std::make_shared<fake::End>();
  end->data = static_cast<char*>(data);
  end->bytes = bytes;
  fake::Line& line = fake::TheMpi().lines[{from, fake::TheMpi().rank, tag}];
  line.receives.push_back(*request = end);
  fake::Meet(&line);
  return MPI_SUCCESS;
}
inline int MPI_Test(MPI_Request* request, int* done, MPI_Status*) {
  fake::Progress();
  *done = *request == nullptr || (*request)->done;
  if (*done) request->reset();
  return MPI_SUCCESS;
}
inline int MPI_Testall(int n, MPI_Request* requests, int* done, MPI_Status* statuses) {
  fake::Progress();
  *done = std::all_of(requests, requests + n, [](const MPI_Request& r) { return !r || r->done; });
  if (!*done) return MPI_SUCCESS;
  int code = MPI_SUCCESS;
  for (int i = 0; i < n; ++i) {
    statuses[i] = {0, requests[i]->error, requests[i]->status_bytes};
    if (requests[i]->error != MPI_SUCCESS) code = MPI_ERR_IN_STATUS;
    requests[i].reset();
  }
  return code;
}
inline int MPI_Cancel(MPI_Request* request) {
  fake::Progress();
  if ((*request)->other) return MPI_SUCCESS;  // it has met its message
  for (auto& line : fake::TheMpi().lines) {
    auto& all = line.second.receives;
    all.erase(std::remove(all.begin(), all.end(), *request), all.end());
  }
  (*request)->done = true;
  return MPI_SUCCESS;
}
inline int MPI_Get_count(const MPI_Status* status, MPI_Datatype, int* bytes) {
  return *bytes = status->bytes, MPI_SUCCESS;
}
inline int MPI_Iprobe(int, int tag, MPI_Comm, int* here, MPI_Status* status) {
  fake::Progress();
  *here = 0;
  for (auto& line : fake::TheMpi().lines) {
    if (std::get<1>(line.first) != fake::TheMpi().rank || std::get<2>(line.first) != tag) continue;
    if (line.second.sends.empty()) continue;
    *here = 1;
    *status = {std::get<0>(line.first), MPI_SUCCESS, line.second.sends.front()->bytes};
  }
  return MPI_SUCCESS;
}
inline int MPI_Recv(void* data, int bytes, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                    MPI_Status*) {
  MPI_Request request;
  MPI_Irecv(data, bytes, type, from, tag, comm, &request);
  fake::Progress();
  return MPI_SUCCESS;
}

#endif  // MSHADOW_TEST_DIST_FAKE_MPI_MPI_H_
