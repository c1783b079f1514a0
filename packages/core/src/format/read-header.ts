import { messageOf } from '@ipfsz/utils/message-of'
import { CID } from 'multiformats/cid'
import { MAX_FRAME_TABLE_SIZE } from '../constants.ts'
import { InvalidHeaderError } from '../errors.ts'
import { decodeFilters } from '../filters/filters.ts'
import { codecName } from '../codec-names.ts'
import { checkHeader } from './check-header.ts'
import { framesInTable } from './frame-groups.ts'
import { FIELD, HEADER_FIELD } from './header.ts'
import { BYTES, readFields, readPackedVarints, VARINT } from './protobuf.ts'
import { BASE_HEAD_LENGTH, tableLayout } from './trailer.ts'
import type { Filter } from '../filters/filter.ts'
import type { Fail, HeaderContext } from './check-header.ts'
import type { FrameGroup, Header, Region, RegionGroup, TableIndex, Version } from './header.ts'
import type { Field } from './protobuf.ts'

const KNOWN: ReadonlySet<number> = new Set(Object.values(FIELD))

/** The last field that has a meaning, by version. */
const LAST_KNOWN = { 1: FIELD.dictionary, 2: FIELD.groupRegions } as const

/** A reader of version 2 must know the fields up to this one to read the file. */
const LAST_CRITICAL = 31

/**
 * Read the header of a UnixFS message, if it has one, and check every rule of
 * docs/format.md, section 3.
 *
 * @throws {InvalidHeaderError} the header breaks a rule: `rule` says which
 */
export function readHeader (unixfs: Uint8Array, context: HeaderContext): Header | undefined {
  const fail: Fail = (rule, reason, options) => new InvalidHeaderError(context.cid, rule, reason, options)

  let header: Header | undefined

  try {
    const message = expectType(findMessage(unixfs), BYTES, fail)

    header = message == null ? undefined : decodeHeader(message, context, fail)
  } catch (err) {
    if (err instanceof InvalidHeaderError) {
      throw err
    }

    throw fail('encoding', messageOf(err), { cause: err })
  }

  if (header != null) {
    checkHeader(header, context, fail)
  }

  return header
}

function decodeHeader (message: Field, context: HeaderContext, fail: Fail): Header {
  const { version, fields } = readOnce(message.bytes, fail)
  const number = (field: number): number => expectType(fields.get(field), VARINT, fail)?.value ?? 0
  const bytes = (field: number): Uint8Array | undefined => expectType(fields.get(field), BYTES, fail)?.bytes

  if (fields.has(FIELD.dictionary)) {
    throw fail('dictionary', 'it needs a dictionary, which is not supported')
  }

  if (version === 2 && fields.has(FIELD.unsealedFilters)) {
    throw fail('filters', 'an unreleased version of IPFSz wrote it, whose frames other tools decode to wrong bytes: ' +
      'add the original again')
  }

  const contentCid = bytes(FIELD.contentCid)
  const lengths = bytes(FIELD.frameLengths)
  const [sizes, filters, regions, groups, groupRegions] = version === 1
    ? []
    : [FIELD.frameSizes, FIELD.filters, FIELD.regions, FIELD.groups, FIELD.groupRegions].map(bytes)
  const lists = [lengths, sizes, filters, regions, groups, groupRegions]
  const listed = lists.reduce((total, bytes) => total + (bytes?.byteLength ?? 0), 0)

  if (listed > MAX_FRAME_TABLE_SIZE) {
    throw fail('frame-count', `its frames take ${listed} bytes to list`)
  }

  if (groups != null && (lengths ?? sizes ?? regions) != null) {
    throw fail('groups', 'it lists its frames both individually and in groups')
  }

  if (groups == null && groupRegions != null) {
    throw fail('groups', 'it lists the regions of groups, but no groups')
  }

  const codec = number(FIELD.codec)

  return {
    codec,
    size: number(FIELD.size),
    frameSize: number(FIELD.frameSize),
    frameLengths: lengths == null ? [] : readPackedVarints(lengths),
    ...sizes == null ? {} : { frameSizes: readPackedVarints(sizes) },
    ...filters == null ? {} : { filters: toFilters(readPackedVarints(filters), fail) },
    ...regions == null ? {} : { regions: toRegions(readPackedVarints(regions), fail) },
    ...groups == null ? {} : { table: toTable(codec, { groups, regions: groupRegions }, context, fail) },
    ...contentCid == null ? {} : { contentCid: CID.decode(contentCid) }
  }
}

function toFilters (codes: readonly number[], fail: Fail): Filter[] {
  const filters = decodeFilters(codes)

  if (filters == null) {
    throw fail('filters', 'its list of filters is empty, has more than four, or has an unknown or repeated filter')
  }

  return filters
}

function toRegions (values: readonly number[], fail: Fail): Region[] {
  const odd = (): Error => fail('regions', 'the last region has no length')

  return inPairs(values, (offset, length) => ({ offset, length }), odd)
}

function toTable (
  codec: number,
  bytes: { groups: Uint8Array, regions: Uint8Array | undefined },
  { streamSize, lastLinkSize = 0 }: HeaderContext,
  fail: Fail
): TableIndex {
  const odd = (): Error => fail('groups', 'the last group has no size')
  const groups = inPairs(readPackedVarints(bytes.groups), (length, size): FrameGroup => ({ length, size }), odd)
  const regions = bytes.regions == null ? undefined : toRegionGroups(readPackedVarints(bytes.regions), fail)
  const after = streamSize - groups.reduce((total, { length }) => total + length, 0)
  const base = regions == null ? 0 : BASE_HEAD_LENGTH + lastLinkSize
  const frames = framesInTable(after - base, groups.length, tableLayout(codecName(codec) ?? '', regions != null))

  if (frames == null) {
    throw fail('groups', `after its frames is no ${regions == null ? '' : 'region '}table of the right length`)
  }

  return { frames, groups, ...regions == null ? {} : { regions } }
}

function toRegionGroups (values: readonly number[], fail: Fail): RegionGroup[] {
  const odd = (): Error => fail('regions', 'the last group has no largest region')

  return inPairs(values, (size, largest) => ({ size, largest }), odd)
}

/** @param odd - makes the error for a number that is left over */
function inPairs<T> (values: readonly number[], toPair: (first: number, second: number) => T, odd: () => Error): T[] {
  if (values.length % 2 !== 0) {
    throw odd()
  }

  return Array.from({ length: values.length / 2 }, (_, i) => toPair(values[2 * i], values[2 * i + 1]))
}

/**
 * The fields of a header by number, and its version. Refuses a known field that occurs twice, because
 * readers could disagree about which one counts, and the fields of version 2 that change how a file is read.
 */
function readOnce (message: Uint8Array, fail: Fail): { version: Version, fields: Map<number, Field> } {
  const all = [...readFields(message)]
  const version = expectType(all.find(field => field.number === FIELD.version), VARINT, fail)?.value ?? 0

  if (version !== 1 && version !== 2) {
    throw fail('version', `its version is ${version}, and only versions 1 and 2 are supported`)
  }

  const last = LAST_KNOWN[version]
  const fields = new Map<number, Field>()

  for (const field of all) {
    const { number } = field

    if (number <= last && fields.has(number)) {
      throw new Error(`field ${number} occurs twice`)
    }

    if (version === 2 && !KNOWN.has(number) && number <= LAST_CRITICAL) {
      throw fail('version', `it has the field ${number}, which this version does not support`)
    }

    fields.set(number, field)
  }

  return { version, fields }
}

function findMessage (unixfs: Uint8Array): Field | undefined {
  const found = [...readFields(unixfs)].filter(field => field.number === HEADER_FIELD)

  if (found.length > 1) {
    throw new Error('there are two headers')
  }

  return found[0]
}

function expectType (field: Field | undefined, type: number, fail: Fail): Field | undefined {
  if (field != null && field.type !== type) {
    throw fail('encoding', `field ${field.number} has the wrong wire type`)
  }

  return field
}
