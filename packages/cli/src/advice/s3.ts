import type { Advice } from './table.ts'

/**
 * A store in an S3 bucket
 *
 * The message says whether the cause is **the store**, which answered with an error, or **the network**, because no
 * response arrived, and includes the bucket, the object and the endpoint. With `--verbose`, and in programs, the
 * `cause` has the status and the code.
 */
export const S3: Advice = {
  /**
   * # the store at URL answered STATUS CODE
   *
   * The store rejected the request, for the reason in the message:
   *
   * - **403**: `SignatureDoesNotMatch` and `InvalidAccessKeyId` mean that the keys are wrong, `AccessDenied` and
   *   `Forbidden` that they lack the permission. A node needs to get, put, delete and list objects. On AWS, without
   *   `s3:ListBucket`, a missing object is reported as 403 too.
   * - **404 NoSuchBucket**: the bucket does not exist, or its name is wrong. It is never created unless you ask for
   *   it.
   * - **400 InvalidRequest: Date is too old**, or **403 AccessDenied** for a delete, while other nodes can delete: the
   *   request arrived after the 16 seconds for which it was valid, because the network or this machine stalled.
   *   Nothing was deleted. Run the command again.
   * - **429, 500, 502, 503, 504**: the store is overloaded, or parts of it are down. The request was sent six times,
   *   to all endpoints. Check the health of the store (`ceph -s`, `garage status`).
   */
  S3ResponseError: undefined,
  /**
   * # no response from URL:
   *
   * No endpoint could be reached, or none sent a complete response in time. The message ends with the reason:
   * `ECONNREFUSED` means that nothing listens there, `connecting took more than` that packets are lost, `the answer
   * took more than` that a gateway hangs.
   *
   * # with a web page, so it is not a store
   *
   * Something else answered instead of the store. Usually it is the login page of a hotel or
   * company network (open any page in a browser, and log in), or a proxy: use an endpoint that reaches the store.
   * `without an ETag` has the same cause, in response to a write. Such a response never makes an object count as
   * stored, missing or damaged.
   */
  S3NetworkError: undefined,
  /**
   * # the object is damaged: its bytes do not match the checksum
   *
   * The bytes that the store sends do not match the checksum that it kept of the object, six times in a row: a disk of
   * the store has corrupted it, or somebody has changed it. `ipfsz repair` fetches a block again from other nodes;
   * adding its file, or `ipfsz migrate --verify` from a copy, replaces it too. Check the health of the store: other
   * objects on that disk may be damaged.
   */
  S3DamagedObjectError: undefined,
  /**
   * # the clocks of this machine and of the store at URL differ by
   *
   * Stores reject requests whose time is off by more than 15 minutes. IPFSz retried with the store's time, but this
   * store did not accept that either. Set the clocks, with NTP.
   */
  S3ClockSkewError: undefined,
  /**
   * # There are no credentials:
   *
   * Set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or add them to `~/.aws/credentials`. The message says what is
   * missing, or what could not be fetched.
   */
  S3CredentialsError: undefined,
  /**
   * # The URL of a store contains credentials
   *
   * There are other messages for other mistakes: see [the
   * URL](../packages/blockstore-s3/README.md#options). URLs end up in settings, shell histories and logs, so put keys
   * in the environment or in `~/.aws/credentials`.
   */
  S3UrlError: undefined,
  /**
   * # The key KEY is empty, or has a segment that is empty, . or ..
   *
   * Also for keys with control characters or more than 1,024 bytes. S3 does not support them, or they
   * would change in a URL.
   */
  S3KeyError: undefined,
  /**
   * # the response exceeds the limit of N bytes
   *
   * The limit for blocks is 16 MiB. A program can set `maxObjectSize`.
   */
  S3ObjectTooLargeError: undefined
}
