package interop

import "testing"

func TestTypeScriptTalker(t *testing.T) {
	everyScript(t, func(t *testing.T, sdk string, w way) {
		f := follow(t, sdk, talker, w, plan{Walk: "talker"})
		f.hello(map[string]any{"name": "talker", "title": "Talker", "version": "1.0.0"}, "Ask.")
		checkLists(f)
		checkCalls(f)
		checkReads(f)
		checkQuestions(f)

		// Notifications to the client.
		f.same("climb", "up")
		f.same("logs", []string{
			`warning climb {"message":"slippery","step":1}`,
			`warning climb {"message":"slippery","step":2}`,
			`warning climb {"message":"slippery","step":3}`,
		})
		f.same("meet", "met")
		if w.revision == revisions[0] {
			f.same("progress", []string{"1 of 2: undefined", "2 of 2: undefined"})
		} else {
			f.same("progress", []string{"1 of 2: waiting for Ada", "2 of 2: waiting for Grace"})
		}
		f.abandoned("wait")
		if w.transport == http && w.revision == modern {
			f.same("how it ended", "request cancelled by the client") // by the end of the response, which contains no reason
		} else {
			f.same("how it ended", "request cancelled by the client: had enough")
		}

		// Changes.
		f.same("touch", "touched")
		f.same("updates", []string{"talker://rules", "talker://picture"})
		f.same("grow", "grown")
		f.same("changes", []string{"prompts", "resources", "tools"})
		f.same("new tool", []string{"new_tool", "new"})
		f.same("touch again", "touched")
		f.same("updates after that", []string{"talker://picture"})
		if w.revision == modern {
			f.same("watch", map[string]any{
				"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
				"resourceSubscriptions": []string{"talker://rules", "talker://picture"},
			})
			f.same("unwatch", "local")
			f.same("unwatch all", "local")
		} else {
			f.same("watch", nil)
			f.same("unwatch", nil)
			f.same("ping", map[string]any{})
		}

		f.same("complaints", []string{})
		f.answered()
		f.same("compressed", false) // too short
		f.end(talker)
	})
}

func checkLists(f *facts) {
	f.t.Helper()
	type tool struct {
		Name, Title  string
		Hint, Output bool
	}
	var got, want []tool
	f.into("tools", &got)
	for _, name := range []string{
		"add", "blocks", "climb", "wait", "how_it_ended", "route", "meet", "arrive", "nap", "stumble",
		"feast", "pay", "rhyme", "roots", "touch", "grow",
	} {
		want = append(want, tool{Name: name})
	}
	want[0].Hint = f.way.revision > revisions[0]
	want[0].Output = f.way.revision >= forms
	if f.way.revision >= forms {
		want[0].Title = "Addition"
	}
	same(f.t, "tools", got, want)
	f.same("resources", []string{"talker://rules text/plain", "talker://picture image/png", "talker://diary text/plain"})
	f.same("templates", []string{"talker://people/{name}"})
	f.same("prompts", []string{"greet(name,tone?)", "letter()"})
}

func checkCalls(f *facts) {
	f.t.Helper()
	if f.way.revision >= forms {
		f.same("add", map[string]any{"sum": 6.5})
	} else {
		f.same("add", nil)
	}
	blocks := []string{"text text", "image png", "audio wav", "link talker://rules Rules", "resource Be kind."}
	if f.way.revision < forms {
		blocks[3] = "text rules: talker://rules"
	}
	if f.way.revision == revisions[0] {
		blocks[2] = "resource wav"
	}
	f.same("blocks", blocks)
	if f.way.transport == http && f.way.revision == modern {
		f.same("route", `{"region":"Zürich ","lane":4} by header ["=?base64?WsO8cmljaCA=?="], ["4"]`)
	} else {
		f.same("route", `{"region":"Zürich ","lane":4} by header [], []`)
	}
	f.failed("unknown tool", -32602, "unknown tool: burn")
}

func checkReads(f *facts) {
	f.t.Helper()
	f.same("rules", []string{"Be kind."})
	f.same("picture", []string{"blob iVBORw=="})
	f.same("person", []string{"Ada counts."})
	code := -32002
	if f.way.revision == modern {
		code = -32602
	}
	f.failed("nobody", code, "resource not found: talker://people/bob")
	f.same("greet", []string{"user: text Greet Ada formal", "user: resource Be kind.", "assistant: text Gladly."})
	f.failed("greet nobody", -32602, "missing argument name")
	f.same("complete", []string{"ada", "alan"})
	f.same("complete with context", []string{"ada"})
	f.same("complete a choice", []string{"friendly"})
	f.same("complete a template", []string{"grace"})
}

// checkQuestions checks questions to the client, during a call or in rounds.
func checkQuestions(f *facts) {
	f.t.Helper()
	f.same("rhyme", "assistant says beast (rhymer)")
	f.same("roots", "home file:///home, work file:///work")
	if f.way.revision >= links {
		f.same("pay", "accept")
	} else {
		f.same("pay", "failed: the client lacks the capability elicitation.url")
	}
	if f.way.revision >= forms {
		f.same("feast", "May Day, 7 guests, outside true, pie, sure true")
		f.same("diary", "Dear diary, sure true")
		f.same("letter", "A letter, signed true")
		return
	}
	f.same("feast", "failed: the client lacks the capability elicitation")
	f.failed("diary", -32603, "the client lacks the capability elicitation")
	f.failed("letter", -32603, "the client lacks the capability elicitation")
}
