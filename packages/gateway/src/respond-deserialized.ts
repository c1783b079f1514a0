import { respondDirectory } from './respond/directory/directory.ts'
import { respondFile } from './respond/file/file.ts'
import type { ResponseContext } from './respond/context.ts'
import type { FileOptions } from './respond/file/served-file.ts'

/** Answer as for a browser: with a file, the page of a directory, or a document. */
export async function respondDeserialized (
  context: ResponseContext,
  options: Pick<FileOptions, 'status'> = {}
): Promise<Response> {
  const { stats } = context.resolved

  if (stats == null) {
    return context.init.parts.respondDocument(context)
  }

  return stats.type === 'directory' ? respondDirectory(context, options) : respondFile(context, options)
}
