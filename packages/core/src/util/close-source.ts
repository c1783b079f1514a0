/**
 * Close a source, also if it was never read: a stream would keep its file open. Not awaited,
 * because the source may be stalled.
 */
export function closeSource (source: unknown): void {
  if (source == null || typeof source !== 'object') {
    return
  }

  try {
    if ('destroy' in source && typeof source.destroy === 'function') {
      // a Node stream. If it still fails, such as to open its file, nobody else may listen
      if ('on' in source && typeof source.on === 'function') {
        source.on('error', () => {})
      }

      source.destroy()
    } else if ('cancel' in source && typeof source.cancel === 'function') {
      // a web stream; it rejects while a reader holds it
      Promise.resolve(source.cancel()).catch(() => {})
    } else if ('return' in source && typeof source.return === 'function') {
      // a generator
      Promise.resolve(source.return()).catch(() => {})
    }
  } catch {
    // the caller is about to report a more important error
  }
}
