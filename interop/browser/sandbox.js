// The sandbox proxy of a host of MCP Apps: it has the server of its origin serve the page of an
// interface with its policy, shows it in a frame, and passes messages on between host and frame.
"use strict";

document.body.style.margin = 0;
const prefix = "ui/notifications/sandbox-";
const frame = document.createElement("iframe");
frame.title = "Interface";
frame.style.cssText = "width: 100%; height: 100vh; border: 0; display: block";

addEventListener("message", async ({ source, data }) => {
	const own = typeof data?.method === "string" && data.method.startsWith(prefix);
	if (source === parent && own && data.method === prefix + "resource-ready") {
		const { html, csp, sandbox } = data.params;
		frame.sandbox = sandbox;
		const stored = await fetch("/views", { method: "POST", body: JSON.stringify({ html, csp }) });
		frame.src = await stored.text();
		document.body.append(frame);
	} else if (source === parent && !own) {
		frame.contentWindow.postMessage(data, "*");
	} else if (source === frame.contentWindow && !own) {
		parent.postMessage(data, "*");
	}
});
parent.postMessage({ jsonrpc: "2.0", method: prefix + "proxy-ready", params: {} }, "*");
