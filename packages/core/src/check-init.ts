import { InvalidParametersError } from './errors.ts'

/** @throws {InvalidParametersError} it is not above 0 */
export function checkInFlightBytes (inFlightBytes: number): void {
  if (!(inFlightBytes > 0)) {
    throw new InvalidParametersError(`inFlightBytes must be above 0, not ${inFlightBytes}`)
  }
}
