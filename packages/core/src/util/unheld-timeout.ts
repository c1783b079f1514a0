/** `setTimeout` that does not keep a Node process running. In browsers it returns a number. */
export function unheldTimeout (callback: () => void, time: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(callback, time)

  if (typeof timer === 'object') {
    timer.unref()
  }

  return timer
}
