import { messageOf } from '@ipfsz/utils/message-of'
import { CID } from 'multiformats/cid'
import { checkBlock } from '../../dag/hashes.ts'
import { blockKey } from '../../dag/block-key.ts'
import { GatewayConnectionError, GatewayContentError } from './errors.ts'
import { MAX_BLOCK_SIZE, MAX_CAR_HEADER_SIZE, MAX_CID_SIZE } from './limits.ts'
import type { BodyReader } from './body-reader.ts'

/** A block that matches its CID. */
export interface CarBlock {
  /** See `blockKey`. */
  key: string
  /** The codec of its CID. */
  code: number
  bytes: Uint8Array
}

/**
 * The blocks of a CAR that a gateway sends (Trustless Gateway, CAR Responses), one by one as they are read. They end
 * with the CAR, or where it was cut between two blocks, which looks the same.
 *
 * @param gateway - its URL
 * @throws {GatewayContentError} a block does not match its CID, or this is no CAR
 * @throws {GatewayConnectionError} the response was cut, or is empty
 * @throws {GatewayStalledError}
 */
export async function * readCar (gateway: string, body: BodyReader): AsyncGenerator<CarBlock, undefined> {
  const wrong = (reason: string, cause?: unknown): GatewayContentError =>
    new GatewayContentError(gateway, reason, { cause })
  const cut = (reason: string): GatewayConnectionError =>
    new GatewayConnectionError(gateway, reason, { received: body.received })

  /** The next length: little endian, seven bits a byte. Undefined at the end. */
  const readLength = async (max: number): Promise<number | undefined> => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = (await body.read(1)).at(0)

      if (byte == null && scale === 1) {
        return undefined
      }

      if (byte == null) {
        throw cut('it ends in the middle of a length')
      }

      value += (byte & 127) * scale

      if (value > max || scale > max) {
        throw wrong(`a section of its CAR has more than ${max} bytes`)
      }

      if (byte < 128) {
        return value
      }
    }
  }

  /** The next section without its length. Undefined at the end. */
  const readSection = async (max: number): Promise<Uint8Array | undefined> => {
    const length = await readLength(max)
    const section = length == null ? undefined : await body.read(length)

    if (section != null && section.byteLength !== length) {
      throw cut('it ends in the middle of a block')
    }

    return section
  }

  const decode = (section: Uint8Array): [CID, Uint8Array] => {
    try {
      return CID.decodeFirst(section)
    } catch (err) {
      throw wrong(`a section of its CAR does not begin with a CID: ${messageOf(err)}`, err)
    }
  }

  // it says nothing that is needed or could be trusted: what follows is a CAR of version 1 if its blocks match
  // their CIDs (ipld.io/specs/transport/car/carv1)
  if (await readSection(MAX_CAR_HEADER_SIZE) == null) {
    throw new GatewayConnectionError(gateway, 'sent an empty CAR')
  }

  for (;;) {
    const section = await readSection(MAX_BLOCK_SIZE + MAX_CID_SIZE)

    if (section == null) {
      return undefined
    }

    const [cid, bytes] = decode(section)

    // one that contains its block could be as long as that
    if (cid.byteLength > MAX_CID_SIZE) {
      throw wrong(`a CID has more than ${MAX_CID_SIZE} bytes`)
    }

    if (bytes.byteLength > MAX_BLOCK_SIZE) {
      throw wrong(`a block has more than ${MAX_BLOCK_SIZE} bytes`)
    }

    await checkBlock(cid, bytes).catch((err: unknown) => { throw wrong(messageOf(err), err) })
    yield { key: blockKey(cid), code: cid.code, bytes }
  }
}
