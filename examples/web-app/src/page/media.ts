import { failure, formatBytes, h } from './dom.ts'

/** A file to play. */
export interface MediaInit {
  name: string
  size: number
  readAll: () => Promise<Blob>
  /** Aborted to release what the browser holds for the file. */
  signal: AbortSignal
}

/** Sound and video up to this size are read at once, others when somebody asks for it. */
const MAX_READ_AT_ONCE = 16_000_000
/** The most that is played: all of it is in one Blob, which the browser keeps. */
const MAX_MEDIA_SIZE = 256_000_000

/** The magic bytes of sound and video. */
const MEDIA: ReadonlyArray<[string, RegExp]> = [
  ['audio/wav', /^RIFF.{4}WAVE/s],
  ['audio/mpeg', /^ID3|^\xff[\xf2\xf3\xfa\xfb]/],
  ['audio/flac', /^fLaC/],
  ['audio/ogg', /^OggS/],
  ['audio/mp4', /^.{4}ftypM4[AB]/s],
  ['video/mp4', /^.{4}ftyp(?:isom|iso\d|mp4|avc1|M4V|MSNV|dash|qt)/s],
  ['video/webm', /^.E\xdf\xa3/s]
]

/** The type of sound or video, by the first bytes as Latin-1. */
export function mediaType (magic: string): string | undefined {
  return MEDIA.find(([, pattern]) => pattern.test(magic))?.[0]
}

/** A player. The file is read whole, as a Blob: the browser seeks in that. */
export function showMedia (init: MediaInit, type: string): HTMLElement {
  const { size } = init
  const box = h('div', { class: 'media' })

  if (size > MAX_MEDIA_SIZE) {
    box.append(h('p', { class: 'note' },
      `This page plays files of up to ${formatBytes(MAX_MEDIA_SIZE)}. Download this one to play it.`))
  } else if (size > MAX_READ_AT_ONCE) {
    box.append(h('button', {
      type: 'button',
      onclick: () => { void play(init, type, box) }
    }, `Read all ${formatBytes(size)}, and play`))
  } else {
    void play(init, type, box)
  }

  return box
}

async function play ({ name, readAll, signal }: MediaInit, type: string, box: HTMLElement): Promise<void> {
  try {
    const label = type.startsWith('video') ? 'video' : 'audio'
    box.replaceChildren(h('p', { class: 'note' }, 'Reading'))
    const url = URL.createObjectURL(new Blob([await readAll()], { type }))
    const player = h(label, { 'controls': true, 'preload': 'metadata', 'src': url, 'aria-label': `Play ${name}` })

    signal.addEventListener('abort', () => { URL.revokeObjectURL(url) }, { once: true })
    player.addEventListener('error', () => {
      box.replaceChildren(failure(`This browser cannot play this file (${type}). Download it`))
    })
    box.replaceChildren(player)
  } catch (err) {
    if (!signal.aborted) {
      box.replaceChildren(failure(err))
    }
  }
}
