/** Undo the steps of a start, the last one first, each even if another fails. Once: again, it does nothing. */
export async function undoAll (steps: Array<() => Promise<void>>): Promise<void> {
  const failures: unknown[] = []

  for (const step of steps.splice(0).toReversed()) {
    await step().catch((err: unknown) => { failures.push(err) })
  }

  if (failures.length > 0) {
    throw failures[0]
  }
}
