/** Maximum number of edits between a word and a suggestion, and their maximum share of its characters. */
const MAX_EDITS = 3
const MAX_SHARE = 0.4
/** Longer words are not compared: the time grows with the square of their length. */
const MAX_LENGTH = 64

/** The words most similar to `word`, the most similar first: at most three. */
export function nearWords (word: string, words: Iterable<string>): string[] {
  const typed = word.toLowerCase()
  const near = new Map<string, number>()

  for (const candidate of words) {
    const edits = distance(typed, candidate.toLowerCase())

    if (edits <= Math.min(MAX_EDITS, Math.max(typed.length, candidate.length) * MAX_SHARE)) {
      near.set(candidate, edits)
    }
  }

  return [...near].toSorted(([, a], [, b]) => a - b).slice(0, 3).map(([candidate]) => candidate)
}

/** How many characters must be inserted, deleted, replaced or swapped with the next one (optimal string alignment). */
function distance (a: string, b: string): number {
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH || Math.abs(a.length - b.length) > MAX_EDITS) {
    return Infinity
  }

  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)

  for (let i = 1; i <= a.length; i++) {
    const row = [i]

    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        last[j] + 1,
        row[j - 1] + 1,
        last[j - 1] + (isSame ? 0 : 1),
        isSwapped ? before[j - 2] + 1 : Infinity
      )
    }

    before = last
    last = row
  }

  return last[b.length]
}
