// Search and the side list. Without scripts the page is complete, and has no search.
(() => {
	"use strict";
	const field = document.getElementById("search"), found = document.getElementById("found");
	const list = document.querySelector("nav details");
	const plain = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
	const features = [...document.querySelectorAll("main section.feature")].map(section => {
		const heading = section.querySelector("h4");
		const link = [...document.querySelectorAll("nav li a")].find(a => a.hash === "#" + heading.id);
		return { section, heading, link, name: plain(heading.textContent), text: plain(section.textContent) };
	});
	const around = [...document.querySelectorAll("main section:not(.feature), nav .part")];

	let shown = features;
	function search() {
		const words = plain(field.value).split(/\s+/).filter(Boolean);
		shown = features.filter(f => words.every(w => f.text.includes(w)));
		for (const f of features) {
			f.section.hidden = f.link.parentElement.hidden = !shown.includes(f);
		}
		for (const part of around) {
			part.hidden = words.length > 0 && !part.querySelector("section.feature:not([hidden]), li:not([hidden])");
		}
		found.textContent = words.length === 0 ? "" : shown.length + " of " + features.length;
	}
	function clear() {
		field.value = "";
		search();
	}
	// go scrolls to what the address names, which a search may have hidden.
	function go() {
		const target = document.getElementById(location.hash.slice(1));
		if (target && target.closest("[hidden]")) {
			clear();
			target.scrollIntoView();
		}
	}
	field.addEventListener("input", search);
	field.addEventListener("keydown", event => {
		if (event.key === "Escape") {
			clear();
			field.blur();
		} else if (event.key === "Enter" && field.value && shown.length > 0) {
			const words = plain(field.value).split(/\s+/).filter(Boolean);
			const best = shown.find(f => words.every(w => f.name.includes(w))) || shown[0];
			location.hash = best.link.hash;
			best.link.focus();
		}
	});
	document.addEventListener("keydown", event => {
		if (event.key === "/" && event.target !== field && !event.ctrlKey && !event.metaKey && !event.altKey) {
			event.preventDefault();
			field.focus();
			field.select();
		}
	});
	addEventListener("hashchange", go);
	field.parentElement.hidden = false;

	// Beside the text the list is open; above it, it is not.
	const wide = matchMedia("(min-width: 62rem)");
	const fit = () => { list.open = wide.matches; };
	wide.addEventListener("change", fit);
	fit();

	// The list marks the feature at the top of the window.
	let marked = null;
	const seen = new IntersectionObserver(entries => {
		for (const entry of entries) {
			if (entry.isIntersecting) {
				const f = features.find(f => f.section === entry.target);
				marked?.removeAttribute("aria-current");
				marked = f.link;
				marked.setAttribute("aria-current", "true");
				if (wide.matches && document.activeElement !== field) {
					const nav = list.parentElement, at = marked.offsetTop;
					if (at < nav.scrollTop || at > nav.scrollTop + nav.clientHeight - 40) {
						nav.scrollTop = at - nav.clientHeight / 2;
					}
				}
			}
		}
	}, { rootMargin: "-10% 0px -89% 0px" });
	features.forEach(f => seen.observe(f.section));
})();
