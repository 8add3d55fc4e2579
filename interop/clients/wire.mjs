// A fetch that keeps a record of what goes over HTTP, and can break streams off.

export class Wire {
  exchanges = [];

  // fetch is handed to the SDK in the place of the global one.
  fetch = async (url, init = {}) => {
    const headers = new Headers(init.headers);
    const exchange = {
      method: init.method ?? 'GET',
      sent: Object.fromEntries(headers),
      call: callOf(init.body),
    };
    this.exchanges.push(exchange);
    const cutter = new AbortController();
    const signals = [cutter.signal, init.signal].filter(Boolean);
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
    exchange.status = response.status;
    exchange.type = response.headers.get('content-type') ?? '';
    exchange.encoding = response.headers.get('content-encoding') ?? '';
    exchange.session = response.headers.get('mcp-session-id');
    exchange.cut = () => cutter.abort(new Error('cut off'));
    return response;
  };

  // cut breaks off the newest event stream that was asked for in some way.
  cut(method, call = '') {
    const found = this.exchanges.findLast((e) => e.method === method && e.call === call && e.type === 'text/event-stream');
    if (!found) throw new Error(`no event stream of ${method} ${call}`);
    found.cut();
  }

  // count counts exchanges.
  count(test) {
    return this.exchanges.filter(test).length;
  }

  // kinds are the different ways in which requests were answered.
  kinds() {
    const answered = this.exchanges.filter((e) => e.status !== undefined);
    return [...new Set(answered.map((e) => `${e.method} ${e.status}`))].sort();
  }
}

// callOf names the method of a message, and the tool where it calls one.
function callOf(body) {
  if (typeof body !== 'string') return '';
  const message = JSON.parse(body);
  const name = message.method === 'tools/call' ? ' ' + message.params.name : '';
  return (message.method ?? 'response') + name;
}
