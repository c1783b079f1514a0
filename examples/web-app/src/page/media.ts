import { failure, formatBytes, h } from './dom.ts'
import type { PlayedFile, PlayedFiles } from './played-files.ts'

/** A file to play. */
export interface MediaInit {
  name: string
  size: number
  readAll: () => Promise<Blob>
  /** Read a part of it. */
  read: PlayedFile['read']
  players: PlayedFiles
  /** Aborted to release what the browser holds for the file. */
  signal: AbortSignal
}

/** Without a service worker, sound and video up to this size are read at once, others when somebody asks for it. */
const MAX_READ_AT_ONCE = 16_000_000
/** The most that is played then: all of it is in one Blob, which the browser keeps. */
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

/**
 * A player. It asks the service worker for ranges, and seeks without reading the rest. Without one, the file is read
 * whole, as a Blob.
 */
export function showMedia (init: MediaInit, type: string): HTMLElement {
  const box = h('div', { class: 'media' })

  show(init, type, box).catch(err => {
    if (!init.signal.aborted) {
      box.replaceChildren(failure(err))
    }
  })

  return box
}

async function show (init: MediaInit, type: string, box: HTMLElement): Promise<void> {
  const { size, players, signal } = init

  if (navigator.serviceWorker?.controller != null) {
    playParts(init, type, box)
  } else if (size <= MAX_READ_AT_ONCE) {
    // need not wait until the worker is installed
    await playBlob(init, type, box)
  } else {
    let isChosen = false
    const tooLarge = size > MAX_MEDIA_SIZE

    box.replaceChildren(tooLarge
      ? h('p', { class: 'note' }, 'Preparing the player')
      : h('button', {
        type: 'button',
        onclick: () => {
          isChosen = true
          playBlob(init, type, box).catch(err => { box.replaceChildren(failure(err)) })
        }
      }, `Read all ${formatBytes(size)}, and play`))

    const hasWorker = await players.hasWorker

    if (hasWorker && !isChosen && !signal.aborted) {
      playParts(init, type, box)
    } else if (!hasWorker && tooLarge) {
      box.replaceChildren(h('p', { class: 'note' },
        `Without a service worker, this page plays files of up to ${formatBytes(MAX_MEDIA_SIZE)}. ` +
        'Download the file to play it.'))
    }
  }
}

/** Play from the service worker, which asks this page for ranges. */
function playParts ({ name, size, read, players, signal }: MediaInit, type: string, box: HTMLElement): void {
  let readError: unknown
  const url = players.add({
    size,
    type,
    async * read (range) {
      try {
        yield * read(range)
      } catch (err) {
        readError = range.signal.aborted ? undefined : err
        throw err
      }
    }
  }, signal)

  play({ name, url, signal, readError: () => readError }, type, box)
}

/** Play from memory, or the browser's disk. */
async function playBlob ({ name, readAll, signal }: MediaInit, type: string, box: HTMLElement): Promise<void> {
  box.replaceChildren(h('p', { class: 'note' }, 'Reading'))
  const url = URL.createObjectURL(new Blob([await readAll()], { type }))

  signal.addEventListener('abort', () => { URL.revokeObjectURL(url) }, { once: true })
  play({ name, url, signal }, type, box)
}

interface PlayInit extends Pick<MediaInit, 'name' | 'signal'> {
  url: string
  /** Why the file could not be read, if that was so. */
  readError?: () => unknown
}

function play ({ name, url, signal, readError }: PlayInit, type: string, box: HTMLElement): void {
  const label = type.startsWith('video') ? 'video' : 'audio'
  const player = h(label, { 'controls': true, 'preload': 'metadata', 'src': url, 'aria-label': `Play ${name}` })

  player.addEventListener('error', () => {
    if (!signal.aborted) {
      box.replaceChildren(
        failure(readError?.() ?? `This browser cannot play this file (${type}). Download it`)
      )
    }
  })
  signal.addEventListener('abort', () => {
    // otherwise it reads on although nobody sees it
    player.removeAttribute('src')
    player.load()
  }, { once: true })
  box.replaceChildren(player)
}
