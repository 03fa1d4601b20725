// SPDX-License-Identifier: Apache-2.0
// Statements on a CUDA device beside what the device can do, within one run: the rate of a copy
// from device memory to device memory, a bare cuBLAS call, a bare kernel launch.
//   benchmark_gpu_statements [--rounds=N] [--filter=TEXT]
// Prints a Markdown table: median time by events, useful GB/s (or Tflop/s), the reference of the
// same run, their ratio, the aim.
#include <mshadow/random.h>
#include <mshadow/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using Bf16 = mshadow::bfloat::bf16_t;

int rounds = 21;
std::string filter;
Stream<gpu>* stream = nullptr;

void Check(cudaError_t status) { mshadow::cuda::Check(status, "a call of the benchmark"); }

class Event {
 public:
  Event() { Check(cudaEventCreate(&event_)); }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_;
};

/// Seconds of one call, out of `calls` between two events.
double Seconds(const std::function<void()>& run, int calls) {
  static const Event begin, end;
  Check(cudaEventRecord(begin.get(), stream->stream_));
  for (int i = 0; i < calls; ++i) run();
  Check(cudaEventRecord(end.get(), stream->stream_));
  Check(cudaEventSynchronize(end.get()));
  float milliseconds = 0;
  Check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  return milliseconds * 1e-3 / calls;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Prints a row: `ours` and `reference` in turn, so that both see the same clocks. Work is bytes
/// (unit "GB/s") or operations ("Tflop/s") of a call; 0: the row compares times.
void Row(const char* name, const char* size, double work, const char* unit, double aim,
         const std::function<void()>& ours, const char* reference_name, double reference_work,
         const std::function<void()>& reference) {
  if (std::string(name).find(filter) == std::string::npos) return;
  ours();
  reference();
  const double once = Seconds(ours, 3);
  const int calls = std::max(1, static_cast<int>(2e-3 / std::max(once, 1e-7)));
  std::vector<double> our_times, their_times;
  for (int i = 0; i < rounds; ++i) {
    our_times.push_back(Seconds(ours, calls));
    their_times.push_back(Seconds(reference, calls));
  }
  const double time = Median(our_times), other = Median(their_times);
  if (work == 0) {
    std::printf("| `%s` | %s | %.2f us | | %s: %.2f us | %+.2f us | %+.1f us |\n", name, size,
                time * 1e6, reference_name, other * 1e6, (time - other) * 1e6, aim);
    return;
  }
  const double scale = std::strcmp(unit, "GB/s") == 0 ? 1e-9 : 1e-12;
  const double rate = work / time * scale, reference_rate = reference_work / other * scale;
  std::printf("| `%s` | %s | %.1f us | %.4g %s | %s: %.4g | %.2f%s | %.2f |\n", name, size,
              time * 1e6, rate, unit, reference_name, reference_rate, rate / reference_rate,
              rate / reference_rate < aim ? " *" : "", aim);
}

template <int dim, typename DType = float>
class Array {
 public:
  explicit Array(const Shape<dim>& shape) : tensor_(nullptr, shape, stream) {
    AllocSpace(&tensor_, false);
    // Equal numbers take less power, and so run at higher clocks than what programs compute with.
    static Random<gpu, DType> random(1);
    random.SampleUniform(&tensor_, -1.0, 1.0);
  }
  ~Array() { FreeSpace(&tensor_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  Tensor<gpu, dim, DType>& operator*() { return tensor_; }
  double Bytes() const {
    return static_cast<double>(tensor_.shape_.Size()) * static_cast<double>(sizeof(DType));
  }

 private:
  Tensor<gpu, dim, DType> tensor_;
};

/// The copy that bandwidth is compared with: 512 MiB read, as much written.
class DeviceCopy {
 public:
  DeviceCopy() : from_(Shape1(1u << 27)), to_(Shape1(1u << 27)) {}
  double Bytes() const { return 2 * from_.Bytes(); }
  void operator()() {
    Check(cudaMemcpyAsync((*to_).dptr_, (*from_).dptr_, static_cast<std::size_t>(from_.Bytes()),
                          cudaMemcpyDeviceToDevice, stream->stream_));
  }

 private:
  Array<1> from_, to_;
};

void Bandwidth(const char* name, const char* size, double bytes, double aim,
               const std::function<void()>& ours) {
  static DeviceCopy copy;
  Row(name, size, bytes, "GB/s", aim, ours, "copy", copy.Bytes(), [] { copy(); });
}

__global__ void EmptyKernel() {}

void ElementWise() {
  const index_t n = 1u << 27;  // 512 MiB
  Array<1> w(Shape1(n)), g(Shape1(n)), o(Shape1(n));
  Bandwidth("w -= 0.1f * (g + 0.01f * w)", "128M", 3 * w.Bytes(), 0.92,
            [&] { *w -= 0.1f * (*g + 0.01f * *w); });
  Bandwidth("o = F<sigmoid>(F<tanh>(w) + F<exp>(g))", "128M", 3 * w.Bytes(), 0.92,
            [&] { *o = F<op::sigmoid>(F<op::tanh>(*w) + F<op::exp>(*g)); });
  Tensor<gpu, 2> matrix((*w).dptr_, Shape2(n / 1024, 1024), stream);
  Tensor<gpu, 2> result((*o).dptr_, Shape2(n / 1024, 1024), stream);
  Array<1> bias(Shape1(1024)), column(Shape1(n / 1024));
  Bandwidth("o = a + broadcast<1>(bias, shape)", "131072x1024", 2 * w.Bytes(), 0.92,
            [&] { result = matrix + broadcast<1>(*bias, matrix.shape_); });
  Array<1, mshadow::half::half_t> h(Shape1(n)), k(Shape1(n));
  Bandwidth("h = h * k + k (half)", "128M", 3 * h.Bytes(), 0.92, [&] { *h = *h * *k + *k; });
  Bandwidth("v = sum_rows(a)", "131072x1024", w.Bytes(), 0.85, [&] { *bias = sum_rows(matrix); });
  Bandwidth("c = sumall_except_dim<0>(a)", "131072x1024", w.Bytes(), 0.85,
            [&] { *column = sumall_except_dim<0>(matrix); });
  Tensor<gpu, 4> images((*w).dptr_, Shape4(128, 256, 64, 64), stream);
  Array<1> channels(Shape1(256));
  Bandwidth("c = sumall_except_dim<1>(x)", "128x256x64x64", w.Bytes(), 0.85,
            [&] { *channels = sumall_except_dim<1>(images); });
  Bandwidth("Softmax(o, a)", "131072x1024", 2 * w.Bytes(), 0.80, [&] { Softmax(result, matrix); });
  Tensor<gpu, 2> wide((*w).dptr_, Shape2(n / 32768, 32768), stream);
  Tensor<gpu, 2> wide_result((*o).dptr_, wide.shape_, stream);
  Bandwidth("Softmax(o, a)", "4096x32768", 2 * w.Bytes(), 0.80,
            [&] { Softmax(wide_result, wide); });
  Tensor<gpu, 2> widest((*w).dptr_, Shape2(n / 131072, 131072), stream);
  Tensor<gpu, 2> widest_result((*o).dptr_, widest.shape_, stream);
  Bandwidth("Softmax(o, a)", "1024x131072", 2 * w.Bytes(), 0.80,
            [&] { Softmax(widest_result, widest); });
  Array<2, mshadow::half::half_t> halves(widest.shape_), half_result(widest.shape_);
  Bandwidth("Softmax(o, a) (half)", "1024x131072", 2 * halves.Bytes(), 0.50,
            [&] { Softmax(*half_result, *halves); });
  Tensor<gpu, 2> square((*w).dptr_, Shape2(8192, 16384), stream);
  Tensor<gpu, 2> turned((*o).dptr_, Shape2(16384, 8192), stream);
  Bandwidth("o = a.T()", "8192x16384", 2 * w.Bytes(), 0.80, [&] { turned = square.T(); });
  Bandwidth("o = cumsum(a, 0)", "131072x1024", 2 * w.Bytes(), 0.50,  // reads a twice
            [&] { result = cumsum(matrix, 0); });
  Bandwidth("o = cumsum(a, 1)", "131072x1024", 2 * w.Bytes(), 0.85,
            [&] { result = cumsum(matrix, 1); });
}

/// Formulas that reduce rows and use the results there. Bytes are those of a row read once and
/// written once.
template <typename DType>
void RowFormulas(const char* type) {
  for (const index_t cols : {16u, 64u, 256u, 1024u, 4096u, 32768u, 65536u}) {
    const Shape<2> shape = Shape2((1u << 27) / cols, cols);
    Array<2, DType> a(shape), o(shape);
    Array<1, DType> scale(Shape1(cols)), shift(Shape1(cols));
    const Tensor<gpu, 2, DType>& x = *a;
    const Tensor<gpu, 1, DType>&gamma = *scale, &beta = *shift;
    const std::string size = std::to_string(shape[0]) + "x" + std::to_string(cols) + type;
    const double bytes = 2 * a.Bytes();
    Bandwidth("p = exp(x - max<1>(x)) / sum<1>(exp(x - max<1>(x)))", size.c_str(), bytes, 0.60,
              [&] { *o = exp(x - max<1>(x)) / sum<1>(exp(x - max<1>(x))); });
    Bandwidth("y = gamma * (x - mean<1>(x)) / sqrt(var<1>(x) + 1e-5f) + beta", size.c_str(), bytes,
              0.60, [&] {
                *o = gamma * (x - mean<1>(x)) / sqrt(var<1>(x) + DType(1e-5f)) + beta;
              });
    Bandwidth("Softmax(o, a) beside formulas", size.c_str(), bytes, 0.75, [&] { Softmax(*o, *a); });
  }
}

void Images() {
  Array<4> x(Shape4(128, 256, 64, 64)), grad(Shape4(128, 256, 64, 64));
  Array<4> p(Shape4(128, 256, 32, 32)), g(Shape4(128, 256, 32, 32));
  Bandwidth("p = pool<maximum>(x, 2, 2, 2)", "128x256x64x64", x.Bytes() + p.Bytes(), 0.75,
            [&] { *p = pool<red::maximum>(*x, 2, 2, 2); });
  Bandwidth("d = unpool<maximum>(x, p, g, 2, 2, 2)", "128x256x64x64",
            2 * x.Bytes() + 2 * p.Bytes(), 0.75,
            [&] { *grad = unpool<red::maximum>(*x, *p, *g, 2, 2, 2); });
  Array<4> image(Shape4(32, 64, 56, 56));
  Array<2> columns(Shape2(64 * 9, 32 * 54 * 54));
  Bandwidth("c = unpack_patch2col(x, 3, 3, 1)", "32x64x56x56", image.Bytes() + columns.Bytes(),
            0.75, [&] { *columns = unpack_patch2col(*image, 3, 3, 1); });
}

struct LeakyRelu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0 ? a : 0.01f * a; }
};
struct Elu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0 ? a : std::exp(a) - 1; }
};
/// A reducer without Combine goes through elements in order.
struct LogSumExp {
  template <typename DType>
  MSHADOW_XINLINE static void Reduce(volatile DType& dst, DType src) {  // NOLINT
    const DType most = dst > src ? dst : src;
    dst = most + std::log(std::exp(dst - most) + std::exp(src - most));
  }
  template <typename DType>
  MSHADOW_XINLINE static void SetInitValue(DType& initv) {  // NOLINT
    initv = static_cast<DType>(-1e30f);
  }
};

/// Statements of ops with branches.
void Branches() {
  const Shape<1> shape = Shape1(1u << 26);  // 256 MiB
  Array<1> c(shape), x(shape), y(shape), o(shape);
  *c = F<op::gt>(*c, 0.0f);
  const double bytes = x.Bytes();
  Bandwidth("o = where(c, x, 0.1f * x)", "64M", 3 * bytes, 0.92,
            [&] { *o = where(*c, *x, 0.1f * *x); });
  Bandwidth("o = where(x > 0, exp(x), y)", "64M", 3 * bytes, 0.92,
            [&] { *o = where(F<op::gt>(*x, 0.0f), F<op::exp>(*x), *y); });
  Bandwidth("o = F<leaky relu of a user>(x)", "64M", 2 * bytes, 0.92,
            [&] { *o = F<LeakyRelu>(*x); });
  Bandwidth("o = F<elu of a user>(x)", "64M", 2 * bytes, 0.92, [&] { *o = F<Elu>(*x); });
  Array<1, Bf16> h(shape), k(shape);
  Bandwidth("h = h * k + k (bfloat16)", "64M", 3 * h.Bytes(), 0.92, [&] { *h = *h * *k + *k; });
  Array<1, mshadow::half::half_t> half(shape);
  Bandwidth("o = tcast<float>(h)", "64M", half.Bytes() + bytes, 0.92,
            [&] { *o = tcast<float>(*half); });
}

/// Rows of few elements. Bytes are those of the whole rows, also where a part of each is asked for:
/// memory moves 32 bytes at a time.
void NarrowRows() {
  const index_t n = 1u << 23;
  Array<1> x(Shape1(n * 8)), o(Shape1(n * 8)), each_row(Shape1(n));
  const double bytes = 2 * x.Bytes();
  for (index_t cols : {1u, 2u, 3u, 4u, 5u, 7u}) {
    const Tensor<gpu, 2> from((*x).dptr_, Shape2(n, cols), 8, stream);
    Tensor<gpu, 2> to((*o).dptr_, Shape2(n, cols), 8, stream);
    const std::string size = "8M x " + std::to_string(cols) + " of 8";
    Bandwidth("o = F<exp>(a)", size.c_str(), bytes, 0.80, [&] { to = F<op::exp>(from); });
  }
  for (index_t cols : {2u, 3u, 5u, 16u}) {
    const index_t rows = n * 8 / 16;
    const Tensor<gpu, 2> from((*x).dptr_, Shape2(rows, cols), stream);
    Tensor<gpu, 2> to((*o).dptr_, Shape2(rows, cols), stream);
    Tensor<gpu, 1> bias((*each_row).dptr_, Shape1(cols), stream);
    Tensor<gpu, 1> column((*o).dptr_, Shape1(rows), stream);
    const std::string size = "4M x " + std::to_string(cols);
    const double packed = 4.0 * rows * cols;
    Bandwidth("o = a + broadcast<1>(bias, shape)", size.c_str(), 2 * packed, 0.80,
              [&] { to = from + broadcast<1>(bias, from.shape_); });
    Bandwidth("c = sumall_except_dim<0>(a)", size.c_str(), packed + 4.0 * rows, 0.80,
              [&] { column = sumall_except_dim<0>(from); });
    Bandwidth("c = reduce_with_axis<sum>(a, 1)", size.c_str(), packed + 4.0 * rows, 0.80,
              [&] { column = reduce_with_axis<red::sum, false>(from, 1); });
    Bandwidth("v = sum_rows(a)", size.c_str(), packed, 0.80, [&] { bias = sum_rows(from); });
    Bandwidth("v = reduce_with_axis<sum>(a, 0)", size.c_str(), packed, 0.50,
              [&] { bias = reduce_with_axis<red::sum, false>(from, 0); });
    Bandwidth("Softmax(o, a)", size.c_str(), 2 * packed, 0.80, [&] { Softmax(to, from); });
  }
  for (index_t cols : {4u, 5u}) {
    const index_t rows = n;
    const Tensor<gpu, 2> table((*x).dptr_, Shape2(rows, cols), stream);
    Tensor<gpu, 2> column((*o).dptr_, Shape2(rows, 1), stream);
    const std::string size = "8M x " + std::to_string(cols);
    Bandwidth("c = slice<1>(a, 1, 2)", size.c_str(), 4.0 * rows * (cols + 1), 0.80,
              [&] { column = slice<1>(table, 1, 2); });
    Bandwidth("c = slice<1>(a, 2, 3) + 0.5f * slice<1>(a, 0, 1)", size.c_str(),
              4.0 * rows * (cols + 1), 0.80,
              [&] { column = slice<1>(table, 2, 3) + 0.5f * slice<1>(table, 0, 1); });
    Tensor<gpu, 2> turned((*o).dptr_, Shape2(cols, rows), stream);
    Bandwidth("o = a.T()", size.c_str(), 8.0 * rows * cols, 0.80, [&] { turned = table.T(); });
  }
  const Tensor<gpu, 2> matrix((*x).dptr_, Shape2(n / 128, 1024), stream);
  Tensor<gpu, 1> column((*o).dptr_, Shape1(n / 128), stream);
  Bandwidth("c = reduce_with_axis<sum>(a, 1)", "65536x1024", bytes / 2, 0.80,
            [&] { column = reduce_with_axis<red::sum, false>(matrix, 1); });
  Tensor<gpu, 2> centred((*o).dptr_, matrix.shape_, stream);
  Bandwidth("o = a - broadcast_keepdim(reduce_keepdim<maximum>(a, 1), 1, n)", "65536x1024",
            1.5 * bytes, 0.80, [&] {
              centred = matrix - broadcast_keepdim(
                                     reduce_keepdim<red::maximum, false>(matrix, 1), 1, 1024);
            });
  Bandwidth("o = 2.0f * cumsum(a, 0)", "65536x1024", 2.5 * bytes, 0.50,
            [&] { centred = 2.0f * cumsum(matrix, 0); });
  Bandwidth("c = reduce_except_dim<0, user's log-sum-exp>(a)", "65536x1024", bytes / 2, 0.50,
            [&] { column = reduce_except_dim<0, LogSumExp>(matrix); });
}

template <typename DType>
void Product(index_t side, const char* name) {
  Array<2, DType> a(Shape2(side, side)), b(Shape2(side, side)), c(Shape2(side, side));
  const double operations = 2.0 * side * side * side;
  const float alpha = 1, beta = 0;
  const std::int64_t n = side;
  const cudaDataType_t type = DataType<DType>::kCudaFlag;
  Row(name, std::to_string(side).c_str(), operations, "Tflop/s", 0.98,
      [&] { *c = dot(*a, *b); }, "cublasGemmEx", operations, [&] {
        const cublasHandle_t handle = Stream<gpu>::GetBlasHandle(stream);
        mshadow::cuda::Check(
            cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, (*b).dptr_, type, n,
                            (*a).dptr_, type, n, &beta, (*c).dptr_, type, n, CUBLAS_COMPUTE_32F,
                            CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx_64");
      });
}

void Small() {
  Array<1> a(Shape1(64)), b(Shape1(64));
  Row("b = a * 2.0f + 1.0f", "64", 0, "", 1.0, [&] { *b = *a * 2.0f + 1.0f; }, "empty kernel", 0,
      [] { EmptyKernel<<<1, 64, 0, stream->stream_>>>(); });
}

int Main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text.rfind("--rounds=", 0) == 0) {
      rounds = std::max(1, std::atoi(text.c_str() + 9));
    } else if (text.rfind("--filter=", 0) == 0) {
      filter = text.substr(9);
    } else {
      std::fprintf(stderr, "usage: benchmark_gpu_statements [--rounds=N] [--filter=TEXT]\n");
      return 2;
    }
  }
  InitTensorEngine<gpu>();
  stream = NewStream<gpu>(0);
  std::printf("%s, %d multiprocessors, CUDA %d.%d; median of %d rounds; `*` misses the aim\n\n",
              stream->prop.name, stream->prop.multiProcessorCount, CUDART_VERSION / 1000,
              CUDART_VERSION % 1000 / 10, rounds);
  std::printf("| statement | size | time | rate | reference | ratio | aim |\n");
  std::printf("|---|---|--:|--:|--:|--:|--:|\n");
  ElementWise();
  RowFormulas<float>("");
  RowFormulas<mshadow::half::half_t>(" (half)");
  Images();
  Branches();
  NarrowRows();
  for (const index_t side : {1024u, 4096u, 8192u}) {
    Product<float>(side, "c = dot(a, b) (float)");
    Product<Bf16>(side, "c = dot(a, b) (bfloat16)");
  }
  Small();
  DeleteStream(stream);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark_gpu_statements: %s\n", error.what());
    return 1;
  }
}
