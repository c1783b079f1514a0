/**
 * Tell a source that nothing more is wanted of it, also where reading never began:
 * a stream keeps its file open otherwise. Not awaited, it may be stalled.
 */
export function letGo (source: unknown): void {
  if (source == null || typeof source !== 'object') {
    return
  }

  try {
    if ('destroy' in source && typeof source.destroy === 'function') {
      // a stream of Node
      source.destroy()
    } else if ('cancel' in source && typeof source.cancel === 'function') {
      // a web stream, which rejects while somebody still reads
      Promise.resolve(source.cancel()).catch(() => {})
    } else if ('return' in source && typeof source.return === 'function') {
      // a generator
      Promise.resolve(source.return()).catch(() => {})
    }
  } catch {
    // whatever it says, the error that led here is the one to report
  }
}
