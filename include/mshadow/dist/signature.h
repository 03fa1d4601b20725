// SPDX-License-Identifier: Apache-2.0
// What a rank wants of a call, and whether all ranks want the same.
#ifndef MSHADOW_DIST_SIGNATURE_H_
#define MSHADOW_DIST_SIGNATURE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fold.h"
#include "provider.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// What ranks must agree on. Members of -1, and an empty label, do not matter to the call.
struct Signature {
  const char* call = "";
  int fold = -1;
  int type = -1;
  int root = -1;
  std::vector<std::size_t> shape;
  std::string label;

  Signature() = default;
  explicit Signature(const char* name) : call(name) {}

  /// AllReduce<sum> "grad" (3,4) float, root 1
  std::string Text() const {
    std::string text = call;
    if (fold >= 0) text += std::string("<") + FoldName(static_cast<Fold>(fold)) + ">";
    if (!label.empty()) text += " \"" + label + "\"";
    if (type >= 0) {
      text += " (";
      for (std::size_t i = 0; i < shape.size(); ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
      }
      text += (shape.size() == 1 ? ",) " : ") ") + dtype_string(type);
    }
    if (root >= 0) text += ", root " + std::to_string(root);
    return text;
  }

  /// Equal where Text is; FNV-1a of all members.
  std::uint64_t Hash() const {
    std::uint64_t hash = 14695981039346656037u;
    const auto add = [&hash](const void* data, std::size_t bytes) {
      for (std::size_t i = 0; i < bytes; ++i) {
        hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
      }
    };
    const int numbers[] = {fold, type, root, static_cast<int>(shape.size())};
    add(call, std::strlen(call));
    add(numbers, sizeof(numbers));
    add(shape.data(), shape.size() * sizeof(std::size_t));
    add(label.data(), label.size());
    return hash;
  }
};

/// "ranks 0, 2".
inline std::string RankList(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

/// Ranks want different things, and every rank has this error.
struct DifferError : public CollectiveError {
  using CollectiveError::CollectiveError;
};

/// texts[r] says what rank r wants. The error names the ranks that differ from the largest group.
inline DifferError Differ(const std::string& what, const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::vector<int>>> groups;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& g) { return g.first == texts[r]; });
    if (group != groups.end()) {
      group->second.push_back(static_cast<int>(r));
    } else {
      groups.push_back({texts[r], {static_cast<int>(r)}});
    }
  }
  const auto most = std::max_element(
      groups.begin(), groups.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::string message = "dist: " + what + " differs between ranks:";
  std::vector<int> ranks;
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    message += "\n  " + RankList(group->second) + ": " + group->first;
    if (group != most) ranks.insert(ranks.end(), group->second.begin(), group->second.end());
  }
  std::sort(ranks.begin(), ranks.end());
  return DifferError(message, ranks);
}

/// What a rank asks of its provider in a collective. Providers send it along with the elements.
struct Wanted {
  enum Kind : std::uint8_t { kAllReduce, kReduce, kReduceScatter, kBroadcast, kAllGather };
  Kind kind;
  std::uint8_t fold;
  std::int16_t type;
  std::int32_t root;
  /// Elements, of a rank's share where there are shares.
  std::uint64_t count;
  /// Calls of this rank so far, where a message may come from another call; else 0.
  std::uint64_t number;

  Wanted(Kind what, std::size_t elements, int of, Fold how = Fold::kSum, int root_rank = 0)
      : kind(what), fold(static_cast<std::uint8_t>(how)), type(static_cast<std::int16_t>(of)),
        root(root_rank), count(elements), number(0) {}
  bool Folds() const { return kind <= kReduceScatter; }
  bool operator==(const Wanted& other) const {
    return kind == other.kind && fold == other.fold && type == other.type && root == other.root &&
           count == other.count && number == other.number;
  }
  /// "Reduce<sum> of 3 elements of float, root 1".
  std::string Text() const {
    constexpr const char* kNames[] = {"AllReduce", "Reduce", "ReduceScatter", "Broadcast",
                                      "AllGather"};
    std::string text = kNames[kind];
    if (Folds()) text += std::string("<") + FoldName(static_cast<Fold>(fold)) + ">";
    text += " of " + std::to_string(count) + " elements of " + dtype_string(type);
    if (kind == kReduce || kind == kBroadcast) text += ", root " + std::to_string(root);
    if (number != 0) text += ", call " + std::to_string(number) + " of the provider";
    return text;
  }
};

/// The error if all[r], of each rank r, are not all equal; nullptr if they are.
inline std::unique_ptr<DifferError> DifferenceOf(const std::vector<Wanted>& all) {
  if (std::count(all.begin(), all.end(), all[0]) == std::ptrdiff_t(all.size())) return nullptr;
  std::vector<std::string> texts;
  for (const Wanted& wanted : all) texts.push_back(wanted.Text());
  return std::make_unique<DifferError>(Differ("a collective", texts));
}

/// A collective that compares the signatures of all ranks. Where they differ, Poll throws
/// CollectiveError on every rank. `first`: so that no rank compares alone later, the signature says
/// whether this one does.
class Comparison : public Operation {
 public:
  Comparison(Provider* provider, Signature signature, std::uint64_t number, bool check, bool first)
      : provider_(provider), signature_(std::move(signature)), number_(number),
        note_(!first ? "" : check ? ", MSHADOW_DIST_CHECK=1" : ", MSHADOW_DIST_CHECK=0"),
        all_(std::size_t(provider->size())) {
    mine_ = signature_.Hash() + (first && check);
    GatherNumbers();
  }

  bool Poll() override {
    while (operation_->Poll()) {
      if (stage_ == kHashes) {
        if (std::count(all_.begin(), all_.end(), mine_) == std::ptrdiff_t(all_.size())) return true;
        stage_ = kLengths;
        text_ = signature_.Text() + note_;
        mine_ = text_.size();
        GatherNumbers();
      } else if (stage_ == kLengths) {
        stage_ = kTexts;
        const std::size_t longest = *std::max_element(all_.begin(), all_.end());
        text_.resize(longest);
        texts_.resize(longest * all_.size());
        operation_ = provider_->AllGather(&text_[0], &texts_[0], longest);
      } else {
        std::vector<std::string> texts;
        for (std::size_t r = 0; r < all_.size(); ++r) {
          texts.push_back(texts_.substr(r * text_.size(), all_[r]));
        }
        throw Differ("collective " + std::to_string(number_), texts);
      }
    }
    return false;
  }

 private:
  enum Stage { kHashes, kLengths, kTexts };

  void GatherNumbers() { operation_ = provider_->AllGather(&mine_, all_.data(), sizeof(mine_)); }

  Provider* provider_;
  Signature signature_;
  std::uint64_t number_;
  const char* note_;
  Stage stage_ = kHashes;
  std::string text_, texts_;
  std::uint64_t mine_ = 0;
  std::vector<std::uint64_t> all_;
  Provider::OperationPointer operation_;  // last: it ends before the memory that it uses
};

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_SIGNATURE_H_
