import { CID } from 'multiformats/cid'
import { KuboCidMismatchError, NotKuboError } from './errors.ts'

/**
 * Compare what Kubo answers with the CID that the question was about. It may be of
 * another version.
 *
 * @throws {KuboCidMismatchError} it is about another block
 * @throws {NotKuboError} it is no CID
 */
export function checkAnswer (expected: CID, answer: unknown): void {
  const actual = CID.asCID(answer)

  if (actual == null) {
    throw new NotKuboError(`its answer for ${expected} is no CID`)
  }

  if (!actual.toV1().equals(expected.toV1())) {
    throw new KuboCidMismatchError(expected, actual)
  }
}
