import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { parseS3Url, S3Blockstore } from '@ipfsz/blockstore-s3'
import { MARK_KEY } from '@ipfsz/shared-store/places'
import { sharedStoreError } from './places.ts'
import type { Destination, MigrationSource } from './contract.ts'

/**
 * The blocks in a bucket, which may be compressed.
 *
 * @throws {UsageError} nodes share them
 * @throws {OpenFailedError} the bucket cannot be opened
 */
export async function openS3Source (
  text: string,
  signal: AbortSignal
): Promise<MigrationSource> {
  const s3 = await openBucket(text, signal)

  return {
    place: placeIn(s3),
    blockstore: new CompressedBlockstore(s3, { codec: 'none' }),
    async * list (signal) {
      for await (const page of s3.list({ signal })) {
        yield page.map(({ cid }) => cid.multihash)
      }
    },
    async * pins () {
      // a bucket of blocks has none
    },
    links: undefined,
    close: async () => s3.close()
  }
}

/**
 * Write blocks to a bucket as they are. They are durable once they are put.
 *
 * @throws {UsageError} nodes share it
 * @throws {OpenFailedError} the bucket cannot be opened
 */
export async function withS3Destination<T> (
  text: string,
  signal: AbortSignal,
  work: (destination: Destination) => Promise<T>
): Promise<T> {
  const s3 = await openBucket(text, signal)

  try {
    return await work({
      place: placeIn(s3),
      storage: { sync: async () => {}, syncLater: async () => {} },
      blockstore: s3,
      reader: new CompressedBlockstore(s3, { codec: 'none' }),
      session: undefined
    })
  } finally {
    await s3.close()
  }
}

async function openBucket (text: string, signal: AbortSignal): Promise<S3Blockstore> {
  const s3 = new S3Blockstore({ ...parseS3Url(text), signal: () => signal })
  await s3.open({ signal })

  if (await s3.objects.stat(MARK_KEY, { signal }) != null) {
    await s3.close()
    throw sharedStoreError(text)
  }

  return s3
}

/** Without the endpoints: the same bucket may have several. */
function placeIn ({ objects: { bucket, prefix } }: S3Blockstore): string {
  return `s3://${bucket}/${prefix}`
}
