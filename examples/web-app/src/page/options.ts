import { allCodecs } from '@ipfsz/codecs/all'
import { byId, h } from './dom.ts'
import type { CompressionOptions } from '@ipfsz/core'

const FRAME_SIZES = [64, 256, 1024, 4096, 16_384]
/** Smaller than the library's default of 4 MiB, so that reading a part fetches less. */
const DEFAULT_FRAME_SIZE = 1024

/** The form for the compression options. */
export function compressionForm (): () => CompressionOptions {
  const codecs = new Map(allCodecs().map(codec => [codec.name as string, codec]))
  const codec = byId<HTMLSelectElement>('codec')
  const level = byId<HTMLInputElement>('level')
  const frameSize = byId<HTMLSelectElement>('frame-size')
  const output = byId<HTMLOutputElement>('level-value')

  codec.append(
    h('option', { value: 'auto' }, 'auto: try and choose'),
    ...Array.from(codecs.keys(), name => h('option', { value: name, selected: name === 'zstd' }, name)),
    h('option', { value: 'none' }, 'none')
  )
  frameSize.append(...FRAME_SIZES.map(size => {
    const selected = size === DEFAULT_FRAME_SIZE

    return h('option', { value: size, selected }, size < 1024 ? `${size} KiB` : `${size / 1024} MiB`)
  }))

  const showLevel = (): void => { output.textContent = level.disabled ? '' : level.value }

  const showCodec = (): void => {
    const levels = codecs.get(codec.value)?.levels

    level.disabled = levels == null || levels.min === levels.max
    level.min = String(levels?.min ?? 0)
    level.max = String(levels?.max ?? 1)
    level.value = String(levels?.default ?? 0)
    showLevel()
  }

  codec.addEventListener('change', showCodec)
  level.addEventListener('input', showLevel)
  showCodec()

  return () => ({
    codec: codec.value as CompressionOptions['codec'],
    frameSize: Number(frameSize.value) * 1024,
    ...codecs.has(codec.value) ? { level: Number(level.value) } : {}
  })
}
