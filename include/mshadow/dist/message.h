// SPDX-License-Identifier: Apache-2.0
// What goes ahead of a message where calls are compared: its element type and shape.
#ifndef MSHADOW_DIST_MESSAGE_H_
#define MSHADOW_DIST_MESSAGE_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "signature.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// Sends the signature of a message, or receives one. Poll throws CollectiveError on the receiver
/// where they differ.
class MessageHeader : public Operation {
 public:
  MessageHeader(Provider* provider, Signature signature, int peer, bool sends)
      : rank_(provider->rank()), peer_(peer), sends_(sends) {
    signature.call = "";
    text_ = signature.Text();
    header_.hash = signature.Hash();
    std::strncpy(header_.text, text_.c_str(), sizeof(header_.text) - 1);
    operation_ = sends ? provider->Send(&header_, sizeof(header_), peer)
                       : provider->Recv(&other_, sizeof(other_), peer);
  }
  bool Poll() override {
    if (!operation_->Poll()) return false;
    if (sends_ || other_.hash == header_.hash) return true;
    other_.text[sizeof(other_.text) - 1] = '\0';
    throw CollectiveError("dist: a message differs between ranks:\n  rank " +
                              std::to_string(peer_) + " sends" + other_.text + "\n  rank " +
                              std::to_string(rank_) + " receives" + text_,
                          {peer_});
  }

 private:
  struct Header {
    std::uint64_t hash = 0;
    char text[248] = {};
  };
  int rank_, peer_;
  bool sends_;
  std::string text_;
  Header header_, other_;
  Provider::OperationPointer operation_;  // last: it ends before the memory that it uses
};

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_MESSAGE_H_
