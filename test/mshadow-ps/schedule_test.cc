// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow-ps/schedule.h>

#include <string>

namespace mshadow {
namespace {

ps::Job MakeJob(int key, int priority, int number = 1, ps::Job::Kind kind = ps::Job::kPush) {
  ps::Job job;
  job.key = key;
  job.priority = priority;
  job.number = number;
  job.kind = kind;
  job.rows = job.cols = 2;
  return job;
}

std::string Order(ps::Schedule* schedule) {
  std::string order, error;
  ps::Job job;
  while (schedule->Next(&job, &error)) {
    EXPECT_EQ(error, "");
    order += std::to_string(job.key);
  }
  return order;
}

TEST(Schedule, WhatAllAreReadyForByPriority) {
  ps::Schedule schedule(2);
  for (int key : {1, 2, 3, 4}) schedule.Announce(0, MakeJob(key, key == 3 ? 5 : 0));
  EXPECT_FALSE(schedule.HasNext());
  EXPECT_EQ(Order(&schedule), "");
  for (int key : {4, 3, 1}) schedule.Announce(1, MakeJob(key, key == 1 ? 2 : 0));
  EXPECT_TRUE(schedule.HasNext());
  EXPECT_EQ(Order(&schedule), "314");
  EXPECT_TRUE(schedule.Waits());
  EXPECT_TRUE(schedule.WaitsFor(1));
  EXPECT_FALSE(schedule.WaitsFor(0));
  EXPECT_EQ(schedule.Waiting(), "\n  push 1 of key 2: not there is rank 1");
  schedule.Announce(1, MakeJob(2, 0, 2));  // another round
  EXPECT_EQ(Order(&schedule), "");
  schedule.Announce(1, MakeJob(2, 0, 1));
  EXPECT_EQ(Order(&schedule), "2");
}

TEST(Schedule, WeightsBeforePushes) {
  ps::Schedule schedule(1);
  schedule.Announce(0, MakeJob(1, 9));
  schedule.Announce(0, MakeJob(2, 0, 0, ps::Job::kInit));
  schedule.Announce(0, MakeJob(3, 0, 1, ps::Job::kSetWeight));
  EXPECT_EQ(Order(&schedule), "231");
}

TEST(Schedule, RanksThatDiffer) {
  ps::Schedule schedule(3);
  ps::Job job = MakeJob(7, 0), next;
  std::string error;
  schedule.Announce(0, job);
  schedule.Announce(2, job);
  job.rows = 3;
  schedule.Announce(1, job);
  ASSERT_TRUE(schedule.Next(&next, &error));
  EXPECT_EQ(error,
            "mshadow::ps: the ranks differ in key 7:\n"
            "  rank 0: shape (2,2) as a matrix, summed\n"
            "  rank 1: shape (3,2) as a matrix, summed");
  job = MakeJob(8, 0);
  schedule.Announce(0, job);
  schedule.Announce(1, job);
  job.failed = 1;
  schedule.Announce(2, job);
  ASSERT_TRUE(schedule.Next(&next, &error));
  EXPECT_EQ(error, "mshadow::ps: push 1 of key 8: rank 2 failed");
  EXPECT_FALSE(schedule.Waits());
}

}  // namespace
}  // namespace mshadow
