import { longText } from '../../support/data.ts'

const HEADER_LENGTH = 44
const RATE = 48_000
/** Samples in a period of the tone: 480 Hz. */
const PERIOD = 100

/** A tone as a WAV file of 16 bits and one channel. It compresses well. */
export function wav (seconds: number): Uint8Array {
  const file = Buffer.alloc(HEADER_LENGTH + 2 * RATE * seconds)

  file.write('RIFF')
  file.writeUInt32LE(file.byteLength - 8, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(RATE, 24)
  file.writeUInt32LE(2 * RATE, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(file.byteLength - HEADER_LENGTH, 40)

  const period = Buffer.alloc(2 * PERIOD)

  for (let i = 0; i < PERIOD; i++) {
    period.writeInt16LE(Math.round(20_000 * Math.sin(2 * Math.PI * i / PERIOD)), 2 * i)
  }

  file.fill(period, HEADER_LENGTH)

  return file
}

/** Sound as a WAV file that compresses as text does: to some blocks for each minute. */
export function longWav (seconds: number): Uint8Array {
  const file = wav(seconds)
  file.set(longText(file.byteLength - HEADER_LENGTH), HEADER_LENGTH)

  return file
}

/** Draw a picture of noise in a page, and return it as WebP, in base64. Sent there as text. */
export async function drawPicture ({ width, height }: { width: number, height: number }): Promise<string> {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  // without transparency, the picture is one frame of VP8
  const context = canvas.getContext('2d', { alpha: false }) as CanvasRenderingContext2D
  const image = context.createImageData(width, height)
  image.data.forEach((_, i) => { image.data[i] = i % 4 === 3 ? 255 : Math.random() * 256 })
  context.putImageData(image, 0, 0)

  return canvas.toDataURL('image/webp', 0.9).split(',')[1]
}

export interface WebmInit {
  width: number
  height: number
  seconds: number
  /** The picture, which every frame shows. */
  webp: Uint8Array
}

const FRAMES_PER_SECOND = 10

/**
 * A silent film of one picture, as WebM with VP8 (RFC 8794, RFC 9559): each second is a cluster, and the cues
 * say where each begins. It compresses well, as all its frames are the same.
 */
export function webm ({ width, height, seconds, webp }: WebmInit): Uint8Array {
  const frame = vp8Frame(webp)
  const clusters = Array.from({ length: seconds }, (_, second) => element(
    0x1f43b675,
    uint(0xe7, second * 1000),
    ...Array.from({ length: FRAMES_PER_SECOND }, (_, i) => simpleBlock(i * 1000 / FRAMES_PER_SECOND, frame))
  ))
  const info = element(0x1549a966, uint(0x2ad7b1, 1_000_000), float(0x4489, seconds * 1000))
  const video = element(0xe0, uint(0xb0, width), uint(0xba, height))
  const tracks = element(
    0x1654ae6b,
    element(0xae, uint(0xd7, 1), uint(0x73c5, 1), uint(0x83, 1), element(0x86, Buffer.from('V_VP8')), video)
  )
  const cuesAt = (start: number): Buffer => element(0x1c53bb6b, ...clusters.map((cluster, second) => element(
    0xbb,
    uint(0xb3, second * 1000),
    element(0xb7, uint(0xf7, 1), uint(0xf1, start + second * cluster.byteLength))
  )))
  // numbers have a fixed length, so that the cues have the same for every start
  const cues = cuesAt(info.byteLength + tracks.byteLength + cuesAt(0).byteLength)
  const head = element(0x1a45dfa3, element(0x4282, Buffer.from('webm')), uint(0x4287, 4), uint(0x4285, 2))

  return Buffer.concat([head, element(0x18538067, info, tracks, cues, ...clusters)])
}

/** The VP8 frame in a WebP file (RFC 9649, section 2.5). */
function vp8Frame (webp: Uint8Array): Buffer {
  const file = Buffer.from(webp)
  const start = file.indexOf('VP8 ')

  if (start === -1) {
    throw new Error('the picture is not a frame of VP8')
  }

  return file.subarray(start + 8, start + 8 + file.readUInt32LE(start + 4))
}

function simpleBlock (time: number, frame: Uint8Array): Buffer {
  const head = Buffer.from([0x81, 0, 0, 0x80])
  head.writeInt16BE(time, 1)

  return element(0xa3, head, frame)
}

/** An element of EBML: its id, which tells its own length, its size in 8 bytes, and its content. */
function element (id: number, ...content: Uint8Array[]): Buffer {
  const idBytes = Buffer.from(id.toString(16), 'hex')
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(content.reduce((total, { byteLength }) => total + byteLength, 0)))
  size[0] = 0x01

  return Buffer.concat([idBytes, size, ...content])
}

function uint (id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))

  return element(id, bytes)
}

function float (id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)

  return element(id, bytes)
}
