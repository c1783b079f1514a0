import type { NamedFile } from '../ipfs/add.ts'

/** Files that the page makes itself. All but the picture are the same every time. */
export const SAMPLES: Readonly<Record<string, () => Promise<NamedFile[]>>> = {
  'Table (CSV)': async () => [{ path: 'weather.csv', file: await csv(500_000) }],
  'Records (JSON)': async () => [{ path: 'stations.json', file: json(9000) }],
  'Text': async () => [{ path: 'story.txt', file: await text(30_000) }],
  'Sound': async () => [{ path: 'chimes.wav', file: sound(6) }],
  'Picture': async () => [{ path: 'sunset.png', file: await picture(900, 560) }],
  'Folder': async () => [
    { path: 'trip/weather.csv', file: await csv(20_000) },
    { path: 'trip/stations.json', file: json(1500) },
    { path: 'trip/pictures/sunset.png', file: await picture(480, 300) },
    { path: 'trip/notes/story.txt', file: await text(5000) }
  ]
}

/** How many lines to make before the page can render again. */
const LINES_AT_ONCE = 5000

async function lines (count: number, line: (i: number) => string): Promise<string[]> {
  const parts: string[] = []

  for (let start = 0; start < count; start += LINES_AT_ONCE) {
    parts.push(Array.from({ length: Math.min(LINES_AT_ONCE, count - start) }, (_, i) => line(start + i)).join(''))
    await new Promise(resolve => { setTimeout(resolve) })
  }

  return parts
}

const PLACES = ['Ålesund', 'Bilbao', 'Coimbra', 'Dublin', 'Évora', 'Fukuoka', 'Graz', 'Hobart']

/** Weather, hour by hour: about 40 bytes a row. */
export async function csv (rows: number): Promise<Blob> {
  const next = random(7)
  const begin = Date.UTC(2024, 0, 1)

  const parts = await lines(rows, i => {
    const hour = Math.floor(i / PLACES.length)
    const warmth = 12 + 9 * Math.sin(hour / 1390) + 5 * Math.sin(hour / 3.8) + next() * 2

    const cells = [
      new Date(begin + hour * 3_600_000).toISOString().slice(0, 16),
      PLACES[i % PLACES.length],
      warmth.toFixed(1),
      Math.round(40 + next() * 55),
      (next() ** 6 * 12).toFixed(1),
      Math.round(990 + next() * 40)
    ]

    return `${cells.join(',')}\n`
  })

  return new Blob(['time,place,temperature_c,humidity_percent,rain_mm,pressure_hpa\n', ...parts], { type: 'text/csv' })
}

function json (count: number): Blob {
  const next = random(11)
  const stations = Array.from({ length: count }, (_, i) => ({
    id: `station-${i}`,
    place: PLACES[i % PLACES.length],
    position: { latitude: round(next() * 180 - 90), longitude: round(next() * 360 - 180) },
    sensors: ['temperature', 'humidity', 'rain', 'pressure'].filter(() => next() > 0.3),
    online: next() > 0.1
  }))

  return new Blob([JSON.stringify(stations, null, 1)], { type: 'application/json' })
}

/** Chimes that fade away, as WAV with one channel of 16 bits. */
function sound (seconds: number): Blob {
  const rate = 22_050
  const notes = [523.25, 659.25, 783.99, 1046.5, 783.99, 659.25]
  const samples = Int16Array.from({ length: seconds * rate }, (_, i) => {
    const time = i / rate
    const since = time % 1
    const pitch = notes[Math.floor(time) % notes.length] ?? 440

    return 12_000 * Math.exp(-4 * since) * Math.sin(2 * Math.PI * pitch * since)
  })
  const header = new DataView(new ArrayBuffer(44))
  const put = (at: number, text: string): void => {
    [...text].forEach((letter, i) => { header.setUint8(at + i, letter.charCodeAt(0)) })
  }

  put(0, 'RIFF')
  header.setUint32(4, 36 + samples.byteLength, true)
  put(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, rate, true)
  header.setUint32(28, 2 * rate, true)
  header.setUint16(32, 2, true)
  header.setUint16(34, 16, true)
  put(36, 'data')
  header.setUint32(40, samples.byteLength, true)

  return new Blob([header, samples], { type: 'audio/wav' })
}

/** Colours from the top of the sky to the ground. */
const SKY: ReadonlyArray<[color: string, at: number]> = [
  ['#1d1147', 0],
  ['#6a2b8f', 0.35],
  ['#ef5d60', 0.62],
  ['#ffc15e', 0.78],
  ['#2b2350', 0.8],
  ['#120d2b', 1]
]

const WORDS = (
  'the a river stone lantern slowly carried over under every blue harbour and then nobody morning letter folded ' +
  'smaller until it fit inside small box which they sent across water to friend who opened found whole again'
).split(' ')

async function text (sentences: number): Promise<Blob> {
  const next = random(3)

  return new Blob(await lines(sentences, i => {
    const count = 6 + Math.floor(next() * 12)
    const words = Array.from({ length: count }, () => WORDS[Math.floor(next() * WORDS.length)]).join(' ')

    return `${words.charAt(0).toUpperCase()}${words.slice(1)}.${i % 6 === 5 ? '\n\n' : ' '}`
  }), { type: 'text/plain' })
}

async function picture (width: number, height: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
  const sky = context.createLinearGradient(0, 0, 0, height)
  const next = random(5)

  for (const [color, at] of SKY) {
    sky.addColorStop(at, color)
  }

  context.fillStyle = sky
  context.fillRect(0, 0, width, height)
  context.fillStyle = '#ffe9b0'
  context.beginPath()
  context.arc(width * 0.62, height * 0.66, height * 0.11, 0, 7)
  context.fill()

  for (let i = 0; i < 1600; i++) {
    const y = height * (0.8 + next() * 0.2)
    context.fillStyle = `rgb(255 ${150 + next() * 80} 110 / ${0.04 + next() * 0.18})`
    context.fillRect(width * 0.62 + (next() - 0.5) * (y - height * 0.68) * 2.4, y, 6 + next() * 34, 1.5)
  }

  for (let i = 0; i < 160; i++) {
    context.fillStyle = `rgb(255 255 255 / ${next() * 0.8})`
    context.fillRect(next() * width, next() * height * 0.45, 1.5, 1.5)
  }

  return canvas.convertToBlob({ type: 'image/png' })
}

function round (value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** Pseudo-random numbers from 0 to 1, the same every time (xorshift32). */
function random (seed: number): () => number {
  let state = seed

  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5

    return (state >>> 0) / 2 ** 32
  }
}
