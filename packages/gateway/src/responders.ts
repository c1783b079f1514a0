import { respondDirectory } from './respond/directory/directory.ts'
import { respondDocument } from './respond/document/document.ts'
import { respondFile } from './respond/file/file.ts'
import { respondTar } from './respond/tar/tar.ts'
import { respondBlock } from './respond/trustless/block.ts'
import { respondCar } from './respond/trustless/car.ts'
import type { Format } from './request/format.ts'
import type { ResponseContext } from './respond/context.ts'
import type { FileOptions } from './respond/file/served-file.ts'

export type Responder = (context: ResponseContext) => Promise<Response>

/** What answers each format of what a path leads to. */
export const RESPONDERS: Readonly<Record<Exclude<Format, 'file' | 'ipns-record'>, Responder>> = {
  raw: respondBlock,
  car: respondCar,
  tar: respondTar,
  json: respondDocument,
  cbor: respondDocument,
  'dag-json': respondDocument,
  'dag-cbor': respondDocument
}

/** Answer as for a browser: with a file, the page of a directory, or a document. */
export async function respondDeserialized (
  context: ResponseContext,
  options: Pick<FileOptions, 'status'> = {}
): Promise<Response> {
  const { stats } = context.resolved

  if (stats == null) {
    return respondDocument(context)
  }

  return stats.type === 'directory' ? respondDirectory(context, options) : respondFile(context, options)
}
