import { allCodecs } from '@ipfsz/codecs/all'
import type { Context } from '../context.ts'

export function codecs ({ output }: Context): void {
  const codecs = allCodecs().map(({ name, implementation, levels, code }) => ({
    name,
    implementation,
    levels,
    code: `0x${code.toString(16)}`
  }))

  if (output.json) {
    codecs.forEach(codec => { output.result(codec, '') })
    return
  }

  output.result({}, output.table([
    ['CODEC', 'RUNS', 'LEVELS', 'DEFAULT', 'MARKER'],
    ...codecs.map(({ name, implementation, levels: { min, max, default: level }, code }) =>
      [name, implementation, min === max ? String(min) : `${min}-${max}`, String(level), code])
  ]))
}
