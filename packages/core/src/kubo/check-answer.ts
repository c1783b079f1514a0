import { CID } from 'multiformats/cid'
import { KuboCidMismatchError, NotKuboError } from './errors.ts'

/**
 * Check that the CID in Kubo's answer is the expected one. The CID version may differ.
 *
 * @throws {KuboCidMismatchError} it names another block
 * @throws {NotKuboError} the answer is not a CID
 */
export function checkAnswer (expected: CID, answer: unknown): void {
  const actual = CID.asCID(answer)

  if (actual == null) {
    throw new NotKuboError(`its answer for ${expected} is not a CID`)
  }

  if (!actual.toV1().equals(expected.toV1())) {
    throw new KuboCidMismatchError(expected, actual)
  }
}
