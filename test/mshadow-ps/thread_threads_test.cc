// SPDX-License-Identifier: Apache-2.0
// thread.h and thread_util.h.
#include <gtest/gtest.h>
#include <mshadow-ps/thread_util.h>

#include <atomic>
#include <string>
#include <vector>

#include "../error_of.h"

namespace mshadow {
namespace {

using testing::ErrorOf;

TEST(ThreadPQueue, LargestFirstThenOldest) {
  utils::ThreadPQueue<int> queue;
  queue.Init();
  for (int i = 0; i < 9; ++i) queue.Push(i, i % 3 - 1);
  queue.Push(9);
  std::string order;
  for (int i = 0, value; i < 10; ++i) {
    ASSERT_TRUE(queue.Pop(&value));
    order += std::to_string(value);
  }
  EXPECT_EQ(order, "2581479036");
  int value;
  queue.Abort();
  EXPECT_FALSE(queue.Pop(&value));
  queue.Destroy();
  queue.Init(true);
  for (int i = 0; i < 5; ++i) queue.Push(i, i % 3);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(queue.Pop(&value));
    EXPECT_EQ(value, i);
  }
  queue.Destroy();
}

struct Shared {
  utils::ThreadPQueue<int> queue;
  utils::ThreadSafeMap<int> map;
  utils::Mutex mutex;
  utils::ConditionVariable changed;
  utils::Semaphore done;
  int sum = 0;
};

inline MSHADOW_THREAD_PREFIX Consume(void* arg) {
  Shared& shared = *static_cast<Shared*>(arg);
  int value;
  while (shared.queue.Pop(&value)) {
    shared.map.Init(value % 7);
    shared.mutex.Lock();
    shared.sum += value;
    shared.map.GetRef(value % 7) += 1;
    shared.changed.Broadcast();
    shared.mutex.Unlock();
  }
  shared.done.Post();
  utils::ThreadExit(nullptr);
  return nullptr;
}

TEST(Thread, Consumers) {
  Shared shared;
  shared.queue.Init();
  shared.map.Init();
  shared.mutex.Init();
  shared.changed.Init();
  shared.done.Init(0);
  std::vector<utils::Thread> threads;
  threads.resize(3);
  for (utils::Thread& thread : threads) thread.Start(Consume, &shared);
  for (int i = 1; i <= 1000; ++i) shared.queue.Push(i, i);
  shared.mutex.Lock();
  while (shared.sum != 500500) shared.changed.Wait(&shared.mutex);
  shared.mutex.Unlock();
  shared.queue.Abort(3);
  for (int i = 0; i < 3; ++i) shared.done.Wait();
  for (utils::Thread& thread : threads) EXPECT_EQ(thread.Join(), 0);
  int count = 0;
  for (int key = 0; key < 7; ++key) count += shared.map.GetRef(key);
  EXPECT_EQ(count, 1000);
  EXPECT_EQ(shared.map.Get(7), nullptr);
  EXPECT_NE(ErrorOf([&] { shared.map.GetRef(7); }).find("key 7"), std::string::npos);
  shared.queue.Destroy();
  shared.map.Destroy();
  shared.changed.Destroy();
  shared.mutex.Destroy();
  shared.done.Destroy();
  EXPECT_NE(ErrorOf([&] { shared.mutex.Lock(); }).find("Init must come"), std::string::npos);
}

TEST(Thread, JoinRethrows) {
  utils::Thread thread;
  thread.Start([](void*) -> MSHADOW_THREAD_PREFIX { throw Error("in the thread"); }, nullptr);
  EXPECT_EQ(ErrorOf([&] { thread.Join(); }), "in the thread");
}

TEST(Thread, QueuesMayMove) {
  std::vector<utils::ThreadPQueue<std::string>> queues;
  queues.resize(1);
  queues[0].Init();
  queues[0].Push("text");
  queues.resize(5);
  std::string text;
  ASSERT_TRUE(queues[0].Pop(&text));
  EXPECT_EQ(text, "text");
}

}  // namespace
}  // namespace mshadow
