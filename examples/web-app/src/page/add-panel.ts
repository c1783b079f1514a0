import { addFiles } from '../ipfs/add.ts'
import { addEntry, sweep, whileAdding } from '../ipfs/catalogue.ts'
import { measure } from '../ipfs/read.ts'
import { announce, byId, explain, formatPercent, h } from './dom.ts'
import { chosenBatches, droppedBatches } from './dropped-files.ts'
import { Job } from './job.ts'
import { compressionForm } from './options.ts'
import { SAMPLES } from './samples.ts'
import type { NamedFile } from '../ipfs/add.ts'
import type { App } from './app.ts'
import type { Batch } from './dropped-files.ts'
import type { CompressionOptions } from '@ipfsz/core'

/** Adds files that are dropped, chosen or made as samples, one after the other. */
export function addPanel (app: App): void {
  const options = compressionForm()
  const drop = byId('drop')
  let queue = Promise.resolve()

  const enqueue = (batches: Batch[]): void => {
    for (const batch of batches) {
      const job = new Job(batch, batches.length === 1)

      byId('jobs').append(job.element)
      const compression = options()
      queue = queue
        .then(async () => job.signal.aborted ? undefined : add(app, batch, compression, job))
        // the next add runs even if this one failed
        .catch(err => { announce(explain(err)) })
    }
  }

  for (const id of ['files', 'folder']) {
    const input = byId<HTMLInputElement>(id)

    input.addEventListener('change', () => {
      enqueue(chosenBatches(input.files ?? []))
      input.value = ''
    })
  }

  // anywhere on the page: without this, a file dropped elsewhere would replace the page
  document.addEventListener('dragover', event => {
    event.preventDefault()
    drop.classList.add('over')
  })
  document.addEventListener('dragleave', event => { drop.classList.toggle('over', event.relatedTarget != null) })
  document.addEventListener('drop', event => {
    event.preventDefault()
    drop.classList.remove('over')

    if (event.dataTransfer != null) {
      droppedBatches(event.dataTransfer).then(enqueue).catch(err => { announce(explain(err)) })
    }
  })

  byId('samples').append(...Object.entries(SAMPLES).map(([name, make]) => h('button', {
    type: 'button',
    onclick: () => {
      makeSample(make).then(batch => enqueue([batch])).catch(err => { announce(explain(err)) })
    }
  }, name)))
}

async function makeSample (make: () => Promise<NamedFile[]>): Promise<Batch> {
  const files = await make()

  return { name: files[0]?.path.split('/')[0] ?? '', files }
}

async function add (app: App, { name, files }: Batch, compression: CompressionOptions, job: Job): Promise<void> {
  const { store } = app

  try {
    announce(`Adding ${name}`)
    const cid = await whileAdding(async () => {
      const cid = await addFiles(files, store, {
        compression,
        signal: job.signal,
        onProgress: progress => { job.show(progress) }
      })
      const { storedSize, codec = 'folder' } = await measure(store.blockstore, { cid, path: '' })
      const size = files.reduce((size, { file }) => size + file.size, 0)

      await addEntry(store, {
        cid,
        name,
        size,
        storedSize: Number(storedSize),
        codec
      })
      announce(`${name} is stored in ${formatPercent(Number(storedSize) / Math.max(size, 1))} of its size`)

      return cid
    })

    job.element.remove()
    await app.refresh()
    await app.open(cid.toString(), { name, reveal: job.reveal })
  } catch (err) {
    job.fail(err)
    announce(job.signal.aborted ? `${name} was cancelled` : `${name} was not added: ${explain(err)}`)
    // the blocks of unfinished adds
    await sweep(store)
    await app.refresh()
  }
}
