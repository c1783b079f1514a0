import { S3Blockstore } from 'blockstore-s3'
import { NotFoundError } from 'interface-store'
import type { CID } from 'multiformats/cid'

/**
 * An S3Blockstore that throws NotFoundError for a missing block. blockstore-s3 4 looks
 * for a `statusCode` that errors of the AWS SDK 3 do not have, so every failure is a
 * GetFailedError, with the text of the SDK's error.
 */
export class FoundOrNotS3Blockstore extends S3Blockstore {
  override async * get (cid: CID, options?: Parameters<S3Blockstore['get']>[1]): ReturnType<S3Blockstore['get']> {
    try {
      yield * super.get(cid, options)
    } catch (err) {
      throw err instanceof Error && err.name === 'GetFailedError' && err.message.startsWith('NoSuchKey')
        ? Object.assign(new NotFoundError(err.message), { cause: err })
        : err
    }
  }
}
