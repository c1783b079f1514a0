import * as echarts from 'echarts'
import { PLAIN } from '../support/file-systems.ts'
import type { EChartsOption } from 'echarts'

/** Grey with a similar contrast on white (4.3:1) and on GitHub's dark background, #0d1117 (4.4:1). */
const TEXT = '#747b83'
const GRID = 'rgba(128, 128, 128, 0.25)'

/** Colours that differ from each other, and from light and dark backgrounds (3:1 at least). */
const COLOURS = ['#3f8fd2', '#d47d26', '#3aa066', '#c2559d', '#8b79d9', '#ad8f28', '#329ca1', '#d4585a']

/** Pixels. Pictures are shown somewhat smaller than they are. */
const FONT_SIZE = 13

export interface Series {
  name: string
  /** One for each category; of a line, pairs of x and y. Null if there is none. */
  values: Array<number | null | [number, number]>
}

export interface Chart {
  title: string
  /** The unit of the values. */
  unit: string
  kind: 'bar' | 'line'
  /** The names of the bars. */
  categories?: string[]
  /** Bars from left to right, the first category at the top, each with its value. */
  horizontal?: boolean
  /** The name of the x axis, if x is a number. */
  x?: string
  series: Series[]
  /** Whether the values differ by orders of magnitude: the axis is then logarithmic. */
  log?: boolean
  /** Where to draw a reference line, such as the value of plain Helia. */
  reference?: number
}

const WIDTH = 960
const HEIGHT = 440

/** A picture of a chart, with a transparent background. */
export function toSvg (chart: Chart): string {
  const instance = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT })

  try {
    instance.setOption(toOption(chart))

    // styles are for a pointer, which a picture in a page never gets, and their classes are numbered through all charts
    return instance.renderToSVGString().replace(/<style.*<\/style>\n?/s, '').replaceAll(/ class="[^"]*"/g, '')
  } finally {
    // otherwise its timers keep the process alive
    instance.dispose()
  }
}

function toOption (chart: Chart): EChartsOption {
  return chart.horizontal === true ? toBars(chart) : toColumns(chart)
}

function toColumns (
  { title, unit, kind, categories = [], x, series: all, log = false, reference }: Chart
): EChartsOption {
  // a series keeps its colour even if another one has no values: charts use one colour for each side
  const series = all.map((one, i) => ({ ...one, colour: COLOURS[i % COLOURS.length] })).filter(
    ({ values }) => values.some(value => value != null)
  )
  const text = { color: TEXT, fontSize: FONT_SIZE }
  const slanted = kind === 'bar' && categories.length > 5
  const valueAxis = {
    nameTextStyle: text,
    axisLabel: text,
    splitLine: { lineStyle: { color: GRID } },
    axisLine: { lineStyle: { color: GRID } }
  }

  return {
    animation: false,
    textStyle: { ...text, fontFamily: 'system-ui, sans-serif' },
    title: { text: title, left: 'center', top: 6, textStyle: { ...text, fontSize: 16, fontWeight: 600 } },
    legend: { show: series.length > 1, top: 40, width: 860, itemGap: 10, textStyle: text, formatter: widen },
    grid: { left: slanted ? 120 : 70, right: 50, top: 120, bottom: slanted ? 120 : 56 },
    xAxis: x == null
      ? {
        type: 'category',
        data: categories,
        axisLabel: { ...text, interval: 0, rotate: slanted ? 30 : 0 },
        axisLine: { lineStyle: { color: TEXT } }
      }
      : { ...valueAxis, type: 'log', name: x, nameLocation: 'middle', nameGap: 30, logBase: 10 },
    yAxis: {
      ...valueAxis,
      ...log && reference == null ? startOf(series) : {},
      type: log ? 'log' : 'value',
      name: log ? `${unit} (logarithmic)` : unit
    },
    series: series.map(({ name, values, colour }, i) => ({
      type: kind,
      name,
      data: values,
      symbol: 'circle',
      symbolSize: 7,
      // plain Helia, which others are compared with, is grey
      color: name === PLAIN ? TEXT : colour,
      ...reference == null || i > 0
        ? {}
        : {
          markLine: {
            silent: true,
            symbol: 'none',
            label: { show: false },
            lineStyle: { color: TEXT, type: 'dashed' as const },
            data: [{ yAxis: reference }]
          }
        }
    })) as EChartsOption['series']
  }
}

/** Without a screen, texts are measured too narrow: add room after a name, an em for every eight letters. */
function widen (name: string): string {
  return name + '\u2003'.repeat(1 + Math.floor(name.length / 8))
}

/**
 * Where the bars of a logarithmic chart begin: below the least value, so that its bar is visible.
 * The default of ECharts is 1.
 */
function startOf (series: readonly Series[]): { min: number, startValue: number } {
  const least = Math.min(...series.flatMap(({ values }) => values.filter(value => typeof value === 'number')))
  const start = 10 ** Math.floor(Math.log10(least / 2))

  return { min: start, startValue: start }
}

/** A chart of one series of horizontal bars. Bars below the reference have another colour. */
function toBars (chart: Chart): EChartsOption {
  const { title, unit, categories = [], series: [{ values }], log = false, reference = 0 } = chart
  const text = { color: TEXT, fontSize: FONT_SIZE }
  const numbers = values.map(Number)
  const axis = { nameTextStyle: text, axisLabel: text, splitLine: { lineStyle: { color: GRID } } }

  return {
    animation: false,
    textStyle: { ...text, fontFamily: 'system-ui, sans-serif' },
    title: { text: title, left: 'center', top: 6, textStyle: { ...text, fontSize: 16, fontWeight: 600 } },
    grid: { left: 240, right: 60, top: 40, bottom: 50 },
    xAxis: {
      ...axis,
      type: log ? 'log' : 'value',
      logBase: 2,
      name: log ? `${unit} (logarithmic)` : unit,
      nameLocation: 'middle',
      nameGap: 30,
      min: log ? 2 ** Math.floor(Math.log2(Math.min(...numbers))) : undefined
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: categories,
      axisLabel: text,
      axisLine: { show: false },
      axisTick: { show: false }
    },
    series: [{
      type: 'bar',
      barWidth: '60%',
      label: { show: true, position: 'right', ...text, formatter: ({ value }) => Number(value).toPrecision(2) },
      data: numbers.map(value => ({
        value,
        itemStyle: { color: value < reference ? COLOURS[1] : COLOURS[2] },
        label: { position: value < reference ? 'left' : 'right' }
      })),
      markLine: {
        silent: true,
        symbol: 'none',
        label: { show: false },
        lineStyle: { color: TEXT, type: 'dashed' },
        data: [{ xAxis: reference }]
      }
    }]
  }
}
