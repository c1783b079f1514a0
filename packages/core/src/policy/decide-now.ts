import { isWorthTrying } from '../filters/choose-filters.ts'
import { applyFilters } from '../filters/filters.ts'
import { beginsAsText, isCompressedType } from './detector.ts'
import { decideEarly, isGain } from './policy.ts'
import type { Allocate } from '@ipfsz/utils/bytes'
import type { Filter } from '../filters/filter.ts'
import type { Compression } from './compression.ts'
import type { Decision } from './policy.ts'

type Policy = Pick<Compression, 'chooseFilters' | 'detect' | 'named'>

/** What is found out about a file before it is compressed. */
export interface Findings {
  /** Whether it begins like a format that is compressed already. */
  isCompressedType: boolean
  filters: readonly Filter[]
}

/** Find out about all bytes of a file without a base. */
export async function lookAt (bytes: Uint8Array, { chooseFilters, detect }: Policy): Promise<Findings> {
  const isCompressed = detect && await isCompressedType(bytes)

  return { isCompressedType: isCompressed, filters: isCompressed ? [] : await chooseFilters?.(bytes) ?? [] }
}

/**
 * The same as `decide`, at once, for all bytes of a file without a base.
 *
 * @param findings - of {@link lookAt}: text needs none
 * @param allocate - gives the memory of the frame
 * @returns undefined if it needs findings, or the codec does not compress it at once
 */
export function decideNow (
  bytes: Uint8Array,
  policy: Policy,
  findings = lookAtText(bytes, policy),
  allocate?: Allocate
): Decision | undefined {
  const { named, detect } = policy
  const early = decideEarly(bytes, detect)

  if (early != null || findings == null) {
    return early
  }

  if (findings.isCompressedType) {
    return { reason: 'type' }
  }

  const { filters } = findings
  const frame = named?.codec.compressSync?.(applyFilters(bytes, filters), named.level, allocate)

  if (named == null || frame == null) {
    return undefined
  }

  const { byteLength: size } = bytes

  return detect && !isGain(size, frame.byteLength)
    ? { reason: 'trial' }
    : { choice: named, reason: detect ? 'trial' : 'options', trial: { size, bytes: frame }, filters }
}

function lookAtText (bytes: Uint8Array, { chooseFilters, detect }: Policy): Findings | undefined {
  const isText = (!detect || beginsAsText(bytes)) && (chooseFilters == null || !isWorthTrying(bytes))

  return isText ? { isCompressedType: false, filters: [] } : undefined
}
