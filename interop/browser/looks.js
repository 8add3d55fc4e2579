// Measures of a page or picture, for the tests of looks. It is one expression.
(() => {
	const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
	canvas.width = canvas.height = 1;
	const paint = canvas.getContext("2d", { willReadFrequently: true });
	const known = new Map();
	const channels = color => {
		if (!known.has(color)) {
			paint.clearRect(0, 0, 1, 1);
			paint.fillStyle = color;
			paint.fillRect(0, 0, 1, 1);
			known.set(color, [...paint.getImageData(0, 0, 1, 1).data]);
		}
		return known.get(color);
	};
	const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const contrast = (a, b) => {
		const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m);
		return (x + 0.05) / (y + 0.05);
	};
	const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] / 255 + below[i] * (1 - top[3] / 255));

	const dark = matchMedia("(prefers-color-scheme: dark)").matches && getComputedStyle(document.documentElement).colorScheme.includes("dark");
	const base = dark ? [18, 18, 18] : [255, 255, 255]; // a window without a background
	// background returns the colour behind an element of a page.
	const background = element => {
		const layers = [];
		for (let e = element; e; e = e.parentElement) {
			layers.unshift(channels(getComputedStyle(e).backgroundColor));
		}
		return layers.reduce((below, top) => over(top, below), base);
	};
	const own = element => [...element.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim());

	// faint returns the texts of a page whose contrast is below 4.5 (WCAG 2.2, 1.4.3).
	window.faint = () => [...document.body.querySelectorAll("*")].filter(e => own(e) && e.checkVisibility() && !e.closest("script,style")).map(e => {
		const c = contrast(channels(getComputedStyle(e).color), background(e));
		return c < 4.5 ? c.toFixed(2) + " " + e.textContent.trim().slice(0, 40) : "";
	}).filter(Boolean);

	// faintInPicture does this for an SVG, whose texts are on the shapes before them.
	window.faintInPicture = () => [...document.querySelectorAll("text,tspan")].filter(own).map(e => {
		const at = e.getBoundingClientRect(), x = at.left + 1, y = at.top + at.height / 2;
		const below = [...document.querySelectorAll("rect,path")].filter(r => {
			const b = r.getBoundingClientRect();
			return b.left <= x && x <= b.right && b.top <= y && y <= b.bottom;
		}).map(r => channels(getComputedStyle(r).fill)).pop() ?? [255, 255, 255];
		const c = contrast(channels(getComputedStyle(e).fill), below);
		return c < 4.5 ? c.toFixed(2) + " " + e.textContent.slice(0, 40) : "";
	}).filter(Boolean);

	// outside returns the texts of an SVG that leave the shape that they begin in.
	window.outside = () => [...document.querySelectorAll("text")].map(e => {
		const at = e.getBoundingClientRect(), y = at.top + at.height / 2;
		const around = [...document.querySelectorAll("rect,path")].map(r => r.getBoundingClientRect())
			.filter(b => b.left <= at.left && at.left <= b.right && b.top <= y && y <= b.bottom).pop();
		return around && at.right <= around.right - 4 && at.bottom <= around.bottom ? "" : e.textContent;
	}).filter(Boolean);
	return true;
})()
