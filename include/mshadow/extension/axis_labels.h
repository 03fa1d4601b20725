// SPDX-License-Identifier: Apache-2.0
// Letters that name axes, as in "ij,jk->ik", read at compile time.
#ifndef MSHADOW_EXTENSION_AXIS_LABELS_H_
#define MSHADOW_EXTENSION_AXIS_LABELS_H_

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
/// The index of the first label that stands in the term before; -1 if none does.
constexpr int FindRepeated(Labels term) {
  for (int i = 1; i < CountLabels(term); ++i) {
    if (FindLabel(term, LabelAt(term, i)) < i) return i;
  }
  return -1;
}
/// The labels of `term` each once, where it stands first.
constexpr Labels Distinct(Labels term) {
  Labels once = 0;
  for (int i = 0; i < CountLabels(term); ++i) {
    const Labels label = static_cast<Labels>(LabelAt(term, i));
    if (FindLabel(once, LabelAt(term, i)) < 0) once = Joined(once, label);
  }
  return once;
}
/// The labels of `term` that one of `others` has.
template <typename... Terms>
constexpr Labels ChosenOfAny(Labels term, Terms... others) {
  Labels lost = term;
  ((lost = Chosen(lost, others, false)), ...);
  return Chosen(term, lost, false);
}

constexpr bool IsLetter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }
/// The number of operands of `text`: terms with commas between them, "->", and a last term. 0 if it
/// is no such text.
constexpr int CountOperands(const char* text) {
  int terms = 1, length = 0;
  bool result = false;
  for (; *text != '\0'; ++text) {
    if (*text == ' ') continue;
    if (*text == ',' && !result) {
      ++terms;
      length = 0;
    } else if (*text == '-' && text[1] == '>' && !result) {
      ++text;
      result = true;
      length = 0;
    } else if (!IsLetter(*text) || ++length > kMaxLabels) {
      return 0;
    }
  }
  return result ? terms : 0;
}
/// The term of an operand of such a text, or, -1, of the result; no labels if there is none.
constexpr Labels EinsumTerm(const char* text, int term) {
  Labels labels = 0;
  if (CountOperands(text) == 0) return labels;
  for (int at = 0; *text != '\0'; ++text) {
    if (*text == ',') {
      ++at;
    } else if (*text == '>') {
      at = -1;
    } else if (at == term && IsLetter(*text)) {
      labels = Joined(labels, static_cast<Labels>(*text));
    }
  }
  return labels;
}

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_AXIS_LABELS_H_
