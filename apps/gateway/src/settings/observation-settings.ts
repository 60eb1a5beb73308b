import { commaList, listenAddress, otlpUrl, share, wholeNumber, yesOrNo } from './parsers.js';
import { always, file, maybe } from './setting.js';

/** What the gateway tells of itself: its page, metrics and traces. */
export const OBSERVATION_SETTINGS = {
  dashboardListen: maybe({
    about: 'where the dashboard is served over HTTP, over HTTPS with `tlsCert`; absent: nowhere',
    value: 'host:port',
    parse: listenAddress,
  }),
  metricsListen: maybe({
    about:
      'where /metrics and /scaling are served over HTTP; absent: nowhere, and nothing is measured',
    value: 'host:port',
    parse: listenAddress,
  }),
  metricsTokenFile: file(
    'the bearer token that whoever reads the metrics must show is in this file',
  ),
  metricsOpen: always({
    about: 'on addresses other than loopback: serve metrics to everybody',
    fallback: 'false',
    parse: yesOrNo,
  }),
  metricsQueues: maybe({
    about: 'queues of the default namespace that are shown also before anybody has used them here',
    value: 'name,name',
    parse: commaList,
  }),
  metricsMaxQueues: always({
    about: 'queues with metrics of their own; what happens in others is counted as `other`',
    value: 'n',
    fallback: '100',
    parse: wholeNumber(1, 10_000),
  }),
  metricsMaxWorkers: always({
    about: 'workers with metrics of their own; the others are `other` together',
    value: 'n',
    fallback: '100',
    parse: wholeNumber(1, 10_000),
  }),
  traceUrl: maybe({
    about:
      'where spans go by OTLP over HTTP, as in http://127.0.0.1:4318/v1/traces; absent: no tracing',
    value: 'url',
    parse: otlpUrl,
  }),
  traceShare: always({
    about:
      'share of the traces that begin here which are kept; a caller who traces decides for its own',
    value: '0..1',
    fallback: '1',
    parse: share,
  }),
};
