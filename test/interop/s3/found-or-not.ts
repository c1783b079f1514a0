import { S3Blockstore } from 'blockstore-s3'
import { NotFoundError } from 'interface-store'
import type { CID } from 'multiformats/cid'

/**
 * An S3Blockstore that says by the right name that a block is not there. That of
 * blockstore-s3 4 looks for a `statusCode` that the errors of the AWS SDK 3 do not have,
 * so all that goes wrong is a GetFailedError, with the SDK's error as text.
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
