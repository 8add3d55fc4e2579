// Tries to call the server at the address in the query in every way there is, and
// tells its own origin what came of each.
"use strict";

const base = new URLSearchParams(location.search).get("server");
const modern = "2026-07-28";
const legacy = "2025-11-25";
const found = {};

function message(method, params, id) {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientInfo": { name: "page", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const hello = { protocolVersion: legacy, capabilities: {}, clientInfo: { name: "page", version: "1" } };

function post(path, headers, body) {
  return fetch(base + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
    body,
  });
}

// firstEvent returns the data of the first event of a stream that has any.
async function firstEvent(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return "the stream ended";
    text += value;
    const data = text.match(/^data: (.+)$/m);
    if (data) {
      reader.cancel();
      return data[1];
    }
  }
}

async function said(answer) {
  if (!answer.ok) return "status " + answer.status;
  const isStream = answer.headers.get("Content-Type").startsWith("text/event-stream");
  const reply = JSON.parse(isStream ? await firstEvent(answer) : await answer.text());
  return reply.error ? "error " + reply.error.code : reply.result.content[0].text;
}

const ways = {
  async modern() {
    const body = message("tools/call", { name: "touch", arguments: { by: "modern" }, _meta: meta }, 1);
    return said(await post("/mcp", {
      "MCP-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": "touch", "Mcp-Param-By": "modern",
    }, body));
  },

  async legacy() {
    const opened = await post("/mcp", {}, message("initialize", hello, 1));
    if (!opened.ok) return "status " + opened.status;
    const session = { "Mcp-Session-Id": opened.headers.get("Mcp-Session-Id"), "MCP-Protocol-Version": legacy };
    await post("/mcp", session, message("notifications/initialized"));
    const text = await said(await post("/mcp", session, message("tools/call", { name: "touch", arguments: { by: "legacy" } }, 2)));
    const gone = await fetch(base + "/mcp", { method: "DELETE", headers: session });
    return gone.ok ? text : "status " + gone.status;
  },

  // What a form can send needs no permission of the server, and the page does not
  // see the answer.
  async simple() {
    const body = message("tools/call", { name: "touch", arguments: { by: "simple" }, _meta: meta }, 1);
    await fetch(base + "/mcp", { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body });
    await fetch(base + "/mcp", { method: "POST", mode: "no-cors", body: new Blob([body]) });
    navigator.sendBeacon(base + "/mcp", body);
    return "sent";
  },

  sse() {
    return new Promise((resolve) => {
      const stream = new EventSource(base + "/sse");
      let where;
      stream.onerror = () => { stream.close(); resolve("no stream"); };
      const tell = (body) => fetch(where, { method: "POST", headers: { "Content-Type": "application/json" }, body });
      stream.addEventListener("endpoint", async (e) => {
        where = new URL(e.data, base + "/sse");
        await tell(message("initialize", { ...hello, protocolVersion: "2024-11-05" }, 1));
      });
      stream.onmessage = async (e) => {
        const reply = JSON.parse(e.data);
        if (reply.id === 1) {
          await tell(message("notifications/initialized"));
          await tell(message("tools/call", { name: "touch", arguments: { by: "sse" } }, 2));
          return;
        }
        stream.close();
        resolve(reply.result.content[0].text);
      };
    });
  },

  websocket() {
    return new Promise((resolve) => {
      const socket = new WebSocket(base.replace("http", "ws") + "/ws", "mcp");
      socket.onerror = () => resolve("no socket");
      socket.onopen = () => socket.send(message("tools/call", { name: "touch", arguments: { by: "websocket" }, _meta: meta }, 1));
      socket.onmessage = (e) => {
        socket.close();
        resolve(JSON.parse(e.data).result.content[0].text);
      };
    });
  },
};

(async () => {
  for (const [name, way] of Object.entries(ways)) {
    try {
      found[name] = await way();
    } catch (e) {
      found[name] = "blocked: " + e.name;
    }
  }
  // A sandboxed page has no origin of its own, but may send what a form could.
  await fetch("/found", { method: "POST", mode: "no-cors", body: JSON.stringify(found) });
})();
