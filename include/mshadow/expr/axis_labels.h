// SPDX-License-Identifier: Apache-2.0
// Letters that name axes, as in "ij,jk->ik", read at compile time.
#ifndef MSHADOW_EXPR_AXIS_LABELS_H_
#define MSHADOW_EXPR_AXIS_LABELS_H_

#include "../core/config.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// The labels of a term, a byte each, the first one lowest.
using Labels = unsigned long long;
constexpr int kMaxLabels = 8;

constexpr char LabelAt(Labels term, int i) { return static_cast<char>(term >> 8 * i & 0xff); }
constexpr int CountLabels(Labels term) {
  int count = 0;
  for (; term != 0; term >>= 8) ++count;
  return count;
}
/// The index of `label`; -1 if the term has it not.
constexpr int FindLabel(Labels term, char label) {
  for (int i = 0; i < CountLabels(term); ++i) {
    if (LabelAt(term, i) == label) return i;
  }
  return -1;
}
constexpr Labels Joined(Labels a, Labels b) {
  return a | (CountLabels(a) == kMaxLabels ? 0 : b << 8 * CountLabels(a));
}
/// The labels of `term` that are in `other`, or, with `in` false, that are not.
constexpr Labels Chosen(Labels term, Labels other, bool in) {
  Labels chosen = 0;
  for (int i = 0; i < CountLabels(term); ++i) {
    if ((FindLabel(other, LabelAt(term, i)) >= 0) != in) continue;
    chosen = Joined(chosen, static_cast<Labels>(LabelAt(term, i)));
  }
  return chosen;
}
constexpr bool HasTwice(Labels term) {
  for (int i = 1; i < CountLabels(term); ++i) {
    if (FindLabel(term, LabelAt(term, i)) < i) return true;
  }
  return false;
}

constexpr bool IsLetter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }
/// True if `text` is two terms with a comma between them, "->", and a third term.
constexpr bool IsEinsum(const char* text) {
  int term = 0, length = 0;
  for (; *text != '\0'; ++text) {
    if (*text == ' ') continue;
    if (*text == ',' && term == 0) {
      term = 1;
      length = 0;
    } else if (*text == '-' && text[1] == '>' && term == 1) {
      ++text;
      term = 2;
      length = 0;
    } else if (!IsLetter(*text) || ++length > kMaxLabels) {
      return false;
    }
  }
  return term == 2;
}
/// Term 0, 1 or 2 of such a text; no labels if it is none.
constexpr Labels EinsumTerm(const char* text, int term) {
  Labels labels = 0;
  if (!IsEinsum(text)) return labels;
  for (int at = 0; *text != '\0'; ++text) {
    if (*text == ',' || *text == '>') {
      ++at;
    } else if (at == term && IsLetter(*text)) {
      labels = Joined(labels, static_cast<Labels>(*text));
    }
  }
  return labels;
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_AXIS_LABELS_H_
