/** Whether a text matches one of the patterns; `*` matches any text, `?` one character. */
export function matchesAny(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(text, pattern));
}

/** Backtracks to the last `*` only, which is enough, so every pattern is fast. */
export function matches(text: string, pattern: string): boolean {
  let [at, in_] = [0, 0];
  let [star, resume] = [-1, 0];
  while (at < text.length) {
    if (in_ < pattern.length && (pattern[in_] === "?" || (pattern[in_] === text[at] && pattern[in_] !== "*"))) {
      at++;
      in_++;
    } else if (pattern[in_] === "*") {
      star = in_++;
      resume = at;
    } else if (star >= 0) {
      in_ = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(in_));
}
