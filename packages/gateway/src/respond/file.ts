import type { ResponseContext } from './context.ts'

/** A stand-in: answers with the whole file. */
export async function respondFile ({ resolved, components, signal, etagCid }: ResponseContext): Promise<Response> {
  const chunks: Uint8Array[] = []

  for await (const bytes of components.fs.cat(resolved.cid, { signal })) {
    chunks.push(bytes)
  }

  return new Response(new Blob(chunks as Array<Uint8Array<ArrayBuffer>>), {
    headers: { etag: `"${etagCid ?? resolved.cid}"` }
  })
}
