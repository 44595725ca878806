/* SPDX-License-Identifier: MIT */
/*
 * The rules: what a secret looks like. Data only; one place to touch. Two kinds.
 *
 * Formats: a literal that every match holds, found by the prefilter, and a pattern that confirms
 * it. A pattern is anchored: it must match where the literal begins (or `before` bytes ahead of
 * that), so its cost does not depend on the length of the text. Runs are possessive and an edge
 * stands before them, so that no text can make a pattern look at the same run again and again.
 *
 * Names: endings of names whose value is a secret, such as "apiKey" or "DB_PASSWORD".
 *
 * Each row has a text that must be masked (exactly between « and ») and one that must stay; the
 * unit tests run them all. The texts are made up, and cut in two so that scanners of source code
 * (ours included) do not take them for the real thing.
 */
#include "run/run_redact.h"

/* A token does not begin amid a word; but an escape (\n) or a URL's %20 may stand before it. */
#define EDGE "(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"

const struct redact_rule redact_rules[] = {
	/* our own */
	{ .name = "stile-token",
	    .literals = { "stv_" },
	    .pattern = EDGE "stv_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])",
	    .positive = "«st"
			"v_7YSH0VJY4edqxYZQtU7VpVQi5w9tLt58KCnLUUz6LMz»",
	    .negative = "stv_ and 43 characters" },

	/* clouds */
	{ .name = "aws-access-key",
	    .literals = { "AKIA", "ASIA", "ABIA", "ACCA" },
	    .pattern = EDGE "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9_-])",
	    .positive = "aws: «AK"
			"IAJAGCR63WBZHULGEP»",
	    .negative = "AKIAIMAGE of EURASIANCOUNTRIES" },
	{ .name = "google-api-key",
	    .literals = { "AIza" },
	    .pattern = EDGE "AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
	    .positive = "?key=«AI"
			"zaIsu4e9WavpxcrNqZuaZtvtkK0Rcy1xeqrAz»&x=1",
	    .negative = "AIzawa Street 35" },
	{ .name = "google-oauth",
	    .literals = { "ya29." },
	    .pattern = EDGE "ya29\\.[A-Za-z0-9_.-]{20,}+",
	    .positive = "bearer: «ya"
			"29.HyU9k6SWOsW7yvSQC1UQ3cSSThJpxwTZ74h8NNp5cus6CSX62LBSbw47QL5z»",
	    .negative = "ya29. is a prefix" },
	{ .name = "google-client-secret",
	    .literals = { "GOCSPX-" },
	    .pattern = EDGE "GOCSPX-[A-Za-z0-9_-]{20,}+",
	    .positive = "«GO"
			"CSPX-1f5HFBo9iaQZRbijkwjUmVH8tc9z»",
	    .negative = "GOCSPX-prefix" },
	{ .name = "google-refresh-token",
	    .literals = { "1//0" },
	    .pattern = EDGE "1//0[A-Za-z0-9_-]{40,}+",
	    .positive = "«1/"
			"/0qdVM6I0BNgvJvv08tnch59JQRbJluRw40PG4sxBx2mFM2t8abDG9nlOoUIGz»",
	    .negative = "http://10.1//0/index and 1//0" },
	{ .name = "azure-account-key",
	    .literals = { "AccountKey=", "SharedAccessKey=" },
	    .is_caseless = true,
	    .pattern = "(?i)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{30,}+={0,2})",
	    .positive = "AccountName=x;Ac"
			"countKey=«DU85F8JBNPI2MdjIMSEcEuV1bE3sorKhcz7FtqRwf7zObvE7zyH3TisILB5E"
			"kKuVCwboyO391II2gXz1P2UobF==»;EndpointSuffix=core.windows.net",
	    .negative = "AccountKey=<key>;EndpointSuffix=core" },
	{ .name = "azure-client-secret",
	    .literals = { "0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~" },
	    .before = 3,
	    .pattern = "(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?!"
		       "[A-Za-z0-9_~.-])",
	    .positive = "«4rz8Q"
			"~flP38Fb2iiHtOLsxg16R3aNjNfeSwaqYIz»",
	    .negative = "8Q~ is short" },
	{ .name = "signed-url",
	    .literals = { "sig=", "signature=" },
	    .is_caseless = true,
	    .pattern = "(?i)(?<=[?&;])(?:sig|x-amz-signature|x-goog-signature|signature)=([A-Z"
		       "a-z0-9%+/_-]{32,}+=?)",
	    .positive = "https://a.example/b?sv=1&si"
			"g=«CYmyRaQ0xIlguv5h5VUSEg3xP0obwYcqe5EYzk0thw3%3D»&se=2",
	    .negative = "?sig=short&signature=none" },
	{ .name = "digitalocean-token",
	    .literals = { "dop_v1_", "doo_v1_", "dor_v1_" },
	    .pattern = EDGE "do[opr]_v1_[0-9a-f]{64}",
	    .positive = "«do"
			"p_v1_d0b096181b45f439cb27d2d90cd67c7436bc4a07254ba476a293dc89228782fb»",
	    .negative = "dop_v1_abc" },
	{ .name = "cloudflare-origin-key",
	    .literals = { "v1.0-" },
	    .pattern = EDGE "v1\\.0-[0-9a-f]{24}-[0-9a-f]{100,}+",
	    .positive = "«v1"
			".0-79df91c706c0cf5bfdbaa1a6-61f9b207e10cc19bc045cd61b358613b01a5b39e3c"
			"e371e9a194ce74ddff5c8468abec84f79d86a0827489a94d373e75012b3c4ea1b19f2f"
			"051f7f3e6cc8400abe59890f7da5de580b»",
	    .negative = "release v1.0-rc1" },
	{ .name = "heroku-key",
	    .literals = { "HRKU-" },
	    .pattern = EDGE "HRKU-[A-Za-z0-9_-]{30,}+",
	    .positive = "«HR"
			"KU-qVx7hUr4tQfBUsLyIaQm2xqgibDwhi9yxpMz4AZwozS81x3nsgLuCRArwEVz»",
	    .negative = "HRKU-1" },
	{ .name = "fly-token",
	    .literals = { "fo1_", "fm1r_", "fm2_" },
	    .pattern = EDGE "(?:fo1_|fm1r_|fm2_)[A-Za-z0-9_+/=-]{40,}+",
	    .positive = "«fo"
			"1_1rgmZ0AC6cwvMZIDNMC3dLxVDxqo4PXhlYbd9C4VyOz»",
	    .negative = "fo1_test" },
	{ .name = "netlify-token",
	    .literals = { "nfp_" },
	    .pattern = EDGE "nfp_[A-Za-z0-9]{36,}+",
	    .positive = "«nf"
			"p_cvzH0PkCH4a5RcJV5sWsJxvP9ixYQs3gnkzt»",
	    .negative = "nfp_list" },
	{ .name = "render-key",
	    .literals = { "rnd_" },
	    .pattern = EDGE "rnd_[A-Za-z0-9]{32,}+",
	    .positive = "«rn"
			"d_8IVTmfDgwrTVRlH27YtPePy94KHrfJuB»",
	    .negative = "rnd_seed" },
	{ .name = "supabase-key",
	    .literals = { "sbp_", "sb_secret_" },
	    .pattern = EDGE "(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,}+)",
	    .positive = "«sb"
			"p_0b3a8c11dd0bcef5906af78099b6c700b4a69112»",
	    .negative = "sbp_table" },
	{ .name = "planetscale-token",
	    .literals = { "pscale_" },
	    .pattern = EDGE "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}+",
	    .positive = "«ps"
			"cale_pw_LyxEp1C0J1Eg3AgQT904rveP0LvniIqUIHqThdRynMz»",
	    .negative = "pscale_version" },
	{ .name = "databricks-token",
	    .literals = { "dapi" },
	    .pattern = EDGE "dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])",
	    .positive = "«da"
			"pi65ae8534310fff4332ad2e3a0d80ed1c»",
	    .negative = "dapihandler" },
	{ .name = "pulumi-token",
	    .literals = { "pul-" },
	    .pattern = EDGE "pul-[0-9a-f]{40}",
	    .positive = "«pu"
			"l-44eea34adcb3e7367bd79341ecbc041365773e5b»",
	    .negative = "pul-request" },
	{ .name = "terraform-token",
	    .literals = { ".atlasv1." },
	    .before = 14,
	    .pattern = EDGE "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}+",
	    .positive = "«CTOQlbOlGbWsvd.a"
			"tlasv1.MoFjTHgFUlPTyGtLS9zN5jS8T11uvZa6ywma4y8zKeoPGAhHOrFI2QDqyHzdkOa"
			"hQ2z»",
	    .negative = "x.atlasv1.y" },
	{ .name = "vault-token",
	    .literals = { "hvs.", "hvb.", "hvr." },
	    .pattern = EDGE "hv[sbr]\\.[A-Za-z0-9_-]{24,}+",
	    .positive = "«hv"
			"s.hd9sXEDXCBkqcXJNLoeEYKNcHx7vUSLjVYF0p8E0Dqy43vW34JWQ2kmJbvy80MmxyJMP"
			"YlmOCavQ5stSO9Exx7D6rz»",
	    .negative = "hvs.example" },
	{ .name = "doppler-token",
	    .literals = { "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit." },
	    .pattern =
		EDGE "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,"
		     "44}(?![A-Za-z0-9])",
	    .positive = "«dp"
			".pt.gcisH5De1j9mZbqJEvUt5Ky6yS1s5lxPYONQRPJ8GZF»",
	    .negative = "dp.pt.value" },
	{ .name = "onepassword-token",
	    .literals = { "ops_eyJ" },
	    .pattern = EDGE "ops_eyJ[A-Za-z0-9_+/=-]{100,}+",
	    .positive = "«op"
			"s_eyJRa5H9Tysoj4kBpE5V6VwOqJNvTsF5gzzLlWtnZIkP19o1IRBEUvI2jL5TRaAwRXPK"
			"asLtWSrnADwuvmwcPmC1l9hs058iPttPVfin6Ub6O7cN0sursLUtgj20pmLAfdGXNkdkNz"
			"dqw4VpWP24kOjvKeFlPxL5vpKh0dcUgcofPWk1K89wrotSQyKk2gsrPmM7wuTS3UYH2str"
			"amZ8XriytBY9ck4XIMswBXbG9OWua9S7O0nfWA0Ybaxfz»",
	    .negative = "ops_eyJ and so on" },
	{ .name = "tailscale-key",
	    .literals = { "tskey-" },
	    .pattern = EDGE "tskey-[a-z]{2,12}-[A-Za-z0-9]{6,}+(?:-[A-Za-z0-9]{10,}+)?",
	    .positive = "«ts"
			"key-auth-FgdF5dMXEwPj-tgpUN6XhYglXM4fuYGAwdC5Ry3rh4TC5»",
	    .negative = "tskey-auth" },
	{ .name = "proton-pass-token",
	    .literals = { "pst_" },
	    .pattern = EDGE "pst_[0-9a-f]{32,}+(?:::[A-Za-z0-9+/_=-]{16,}+)?",
	    .positive = "«ps"
			"t_25b01d25063efc4dfa02220141b7073374d1c5cfa79c9f75f4785dd2522f362f::X1"
			"XGqiV3fzt8AZnaRS8pXKL7nHCNbLMxHcem3NEKxiz»",
	    .negative = "pst_time" },

	/* source hosts, registries, build services */
	{ .name = "github-token",
	    .literals = { "ghp_", "gho_", "ghu_", "ghs_", "ghr_" },
	    .pattern = "gh[pousr]_[A-Za-z0-9]{36,}+",
	    .positive = "remote: «gh"
			"p_IaerjGRfj0kpSXP799p2DL2IJJdWBo9dgEbI», the rest",
	    .negative = "the prefix ghp_ is for people" },
	{ .name = "github-fine-token",
	    .literals = { "github_pat_" },
	    .pattern = "github_pat_[A-Za-z0-9_]{22,}+",
	    .positive = "«gi"
			"thub_pat_yjvbl5TxfunRURNRfPmdHc_DfbjoLBG1ulwxnsphkwlNdH5i83t0gT5Fn7QQ9"
			"G0r9WIXrefzT3Ml5aX0j2»",
	    .negative = "github_pat_name" },
	{ .name = "gitlab-token",
	    .literals = { "glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glimt-",
		"glagent-", "gloas-", "glsoat-", "glffct-" },
	    .pattern = EDGE "gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.=-]{20,"
			    "}+",
	    .positive = "«gl"
			"pat-mJ8TZ2AdyxLW9kdRLmQz»",
	    .negative = "glpat-example" },
	{ .name = "bitbucket-token",
	    .literals = { "ATBB", "ATCTT3" },
	    .pattern = EDGE "(?:ATBB[A-Za-z0-9]{28,}+|ATCTT3[A-Za-z0-9_=-]{50,}+)",
	    .positive = "«AT"
			"BBAyrQhqvJuOSLlsnmJ8BHPTGowscHzjrl»",
	    .negative = "ATBB is a prefix" },
	{ .name = "atlassian-token",
	    .literals = { "ATATT3" },
	    .pattern = EDGE "ATATT3[A-Za-z0-9_=-]{50,}+",
	    .positive = "«AT"
			"ATT3w6fz3FgNTq7v7lyPlPml87jUuGmHCRACsXonYXWu4w7XKtNHlZlL9jdRoQRExdGpVj"
			"kScDxXhhkqUeOa28flahtguWFAwZcEPKvctz7tPh07qVzNhTHWa93VV0hcVO75YMefYxAq"
			"VISZczulowZastaJkd1gndcjFBnoJhZRcM713avAXwwz=XF3ICV8Y»",
	    .negative = "ATATT3 is a prefix" },
	{ .name = "npm-token",
	    .literals = { "npm_" },
	    .pattern = EDGE "npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])",
	    .positive = "//registry.npmjs.org/:_authToken=«np"
			"m_h73y1YngIsGmLNeUQRtA1pzeETu3fWQ4AmLD»",
	    .negative = "npm_config_registry" },
	{ .name = "npm-auth",
	    .literals = { "_auth=" },
	    .pattern = "_auth=[\"\\x27]?([A-Za-z0-9+/]{8,}+={0,2})",
	    .positive = "//registry.example/:_a"
			"uth=«ptLg3UfgytuhkdR9SQqYGk==»",
	    .negative = "_auth=${NPM_AUTH}" },
	{ .name = "pypi-token",
	    .literals = { "pypi-AgE" },
	    .pattern = EDGE "pypi-AgE[A-Za-z0-9_-]{50,}+",
	    .positive = "«py"
			"pi-AgEIcHlwaS5vcmcLDjDbYjPDSKmEoI8MCWpxKGKnVPWYmlgMfyLEQQvPMpJt1sinL8p"
			"64s6XMzvWULrtcKcCpojktUzLpQsKZrEfafjk8PZHCZs0hx7UALAlNQP6ogzTmFuBaWz»",
	    .negative = "pypi-AgEnt" },
	{ .name = "rubygems-key",
	    .literals = { "rubygems_" },
	    .pattern = EDGE "rubygems_[0-9a-f]{48}",
	    .positive = "«ru"
			"bygems_09f5de283100dcd9f8fa4937eebb62cea2263178bacb4433»",
	    .negative = "rubygems_version" },
	{ .name = "crates-token",
	    .literals = { "cio" },
	    .pattern = EDGE "cio[A-Za-z0-9]{32}(?![A-Za-z0-9])",
	    .positive = "«ci"
			"oYLsIKPfXLvo2AdAR0bOGL1w5T77z8Nu7»",
	    .negative = "precious ciopfs and cio_read" },
	{ .name = "nuget-key",
	    .literals = { "oy2" },
	    .pattern = EDGE "oy2[a-z0-9]{43}(?![A-Za-z0-9])",
	    .positive = "«oy"
			"2oac9koygpthok2d3wfl8vejd1g2t9egpyitwyj4dvgy»",
	    .negative = "oy2 and more" },
	{ .name = "docker-token",
	    .literals = { "dckr_pat_", "dckr_oat_" },
	    .pattern = EDGE "dckr_[po]at_[A-Za-z0-9_-]{20,}+",
	    .positive = "«dc"
			"kr_pat_uN5SwpCB7CV2i8GvEP7QystrnNz»",
	    .negative = "dckr_pat_x" },
	{ .name = "jfrog-key",
	    .literals = { "AKCp" },
	    .pattern = EDGE "AKCp[A-Za-z0-9]{60,}+",
	    .positive = "«AK"
			"Cp88ouzt4p4TgKsu81Hs4GmfKIl9c48TVuYcPxEChKYu3mbE4ddhmmKugWHZ8bkmR4GM8P"
			"B»",
	    .negative = "AKCp is a prefix" },
	{ .name = "circleci-token",
	    .literals = { "CCIPAT_", "CCIPRJ_" },
	    .pattern = EDGE "CCIP(?:AT|RJ)_[A-Za-z0-9]{10,}+_[0-9a-f]{40}",
	    .positive = "«CC"
			"IPAT_oInBYCZF12YcrDq86m0nW9_2d6e543057dbe6e1828cd18051e7aa1326dc7a41»",
	    .negative = "CCIPAT_x" },
	{ .name = "buildkite-token",
	    .literals = { "bkua_" },
	    .pattern = EDGE "bkua_[0-9a-f]{40}",
	    .positive = "«bk"
			"ua_ba2f6e83b572968b9a6611ab9b55c56fe6c92c3e»",
	    .negative = "bkua_test" },
	{ .name = "sonar-token",
	    .literals = { "squ_", "sqp_", "sqa_" },
	    .pattern = EDGE "sq[upa]_[0-9a-f]{40}",
	    .positive = "«sq"
			"u_fc753ac70f21d7c2f4e051026acd33003b317e6f»",
	    .negative = "sqp_level" },
	{ .name = "postman-key",
	    .literals = { "PMAK-" },
	    .pattern = EDGE "PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
	    .positive = "«PM"
			"AK-d874bcb0128e8f2622bd56cc-da0896781b9d937b0a6c3ce0c615b55989»",
	    .negative = "PMAK-1" },
	{ .name = "sentry-token",
	    .literals = { "sntrys_", "sntryu_" },
	    .pattern = EDGE "sntry(?:s_[A-Za-z0-9_+/=-]{60,}+|u_[0-9a-f]{64})",
	    .positive = "«sn"
			"tryu_6924ad1f10a4645dcb3e7a526e3504cee2fb3d25de1170ee23e9a734fb0f0474»",
	    .negative = "sntryu_1" },

	/* chat and mail */
	{ .name = "slack-token",
	    .literals = { "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xox", "xoxo-", "xoxp-",
		"xoxr-", "xoxs-", "xapp-" },
	    .pattern = EDGE "(?:xox[abcdeoprs]-|xoxe\\.xox[bp]-|xapp-)[A-Za-z0-9%/+-]{10,}+",
	    .positive = "«xo"
			"xb-273438332693-232255889141-8essL3UCmYpKX1pmEYxlCQhi»",
	    .negative = "xoxb-token" },
	{ .name = "slack-webhook",
	    .literals = { "hooks.slack.com/" },
	    .pattern = "hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,"
		       "}+)",
	    .positive = "https://ho"
			"oks.slack.com/services/«TLE5RK3LJ/BME6WR10I/iqV64ljzDc5iL8IxwGUVRGFr»",
	    .negative = "hooks.slack.com/services/ is the path" },
	{ .name = "discord-webhook",
	    .literals = { "/api/webhooks/" },
	    .pattern = "/api/webhooks/[0-9]{5,30}/([A-Za-z0-9_-]{30,}+)",
	    .positive = "https://discord.com/a"
			"pi/webhooks/123456789012345678/«hBYmpvgOFsOESvwM0E0wt2K6dwMNgqrjOcFapk"
			"ESLqUBRNiyeIdwVyWcPXaYiMozW40z»",
	    .negative = "/api/webhooks/123" },
	{ .name = "teams-webhook",
	    .literals = { "webhook.office.com/" },
	    .pattern = "webhook\\.office\\.com/webhookb2/([0-9A-Za-z@/-]{40,}+)",
	    .positive = "https://x.we"
			"bhook.office.com/webhookb2/«67b40608-2530-73a1-4685-fe5ff7027677@397cb"
			"ad5/IncomingWebhook/b015ebc58678123610d6df8f52e2eda9»",
	    .negative = "webhook.office.com/help" },
	{ .name = "telegram-token",
	    .literals = { ":AA" },
	    .pattern = "(?<=[0-9]{8}):(AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])",
	    .positive = "bot8633422139:«AAjl"
			"v8d4VmO7PEnOZ5yd27nuDBzeaif8tMz»/getMe",
	    .negative = "12345678:AA" },
	{ .name = "sendgrid-key",
	    .literals = { "SG." },
	    .pattern = EDGE "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}(?![A-Za-z0-9_-])",
	    .positive = "«SG"
			".ftko3mJ6kQwqCbIfZtIVOz.amuVQSBHrbcEuPoMRgHUNyQwrGuhfSnESfxBk5HJpNz»",
	    .negative = "MSG.example.SG.x" },
	{ .name = "sendinblue-key",
	    .literals = { "xkeysib-", "xsmtpsib-" },
	    .pattern = EDGE "x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
	    .positive = "«xk"
			"eysib-96d1fbe3eef2821c38505175c77eea36e875a10df45f07ca9ec0d76739585716"
			"-9ma1dPl3TCb2XwNM»",
	    .negative = "xkeysib-1" },
	{ .name = "mailchimp-key",
	    .literals = { "-us" },
	    .before = 32,
	    .pattern = EDGE "[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])",
	    .positive = "«2b2b3f58f49e03860712a0d1664476c8-u"
			"s12»",
	    .negative = "region-us1 and eu-us" },

	/* payment and shops */
	{ .name = "stripe-key",
	    .literals = { "sk_live_", "sk_test_", "rk_live_", "rk_test_" },
	    .pattern = EDGE "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+",
	    .positive = "«sk"
			"_live_wLaySHESliBmmfOKEu8aEPVg3uF2TUuUiMYhT1UIbzY9PSJDRpEEyB4OiGwu7ifd"
			"ei6JzIc2lt5lpLmQp9kbLwAKE1bOmFusyh9»",
	    .negative = "sk_test_mode" },
	{ .name = "stripe-webhook-secret",
	    .literals = { "whsec_" },
	    .pattern = EDGE "whsec_[A-Za-z0-9+/=]{24,}+",
	    .positive = "«wh"
			"sec_6SxNBzHfSFZF2CzNgpdK27gI6MzT1r8x»",
	    .negative = "whsec_name" },
	{ .name = "square-token",
	    .literals = { "sq0atp-", "sq0csp-", "sq0idp-" },
	    .pattern = EDGE "sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}+",
	    .positive = "«sq"
			"0csp-mcWka4a8ihMeLhH162aoCnQhoXOGIA1w83KFSEUfTmz»",
	    .negative = "sq0csp-x" },
	{ .name = "braintree-token",
	    .literals = { "access_token$" },
	    .pattern = "access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}",
	    .positive = "«ac"
			"cess_token$production$vt48i19z32r7s7dn$f3a07fb323be40d08bd784eebd4fe85"
			"1»",
	    .negative = "access_token$x" },
	{ .name = "shopify-token",
	    .literals = { "shpat_", "shpca_", "shppa_", "shpss_" },
	    .pattern = EDGE "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
	    .positive = "«sh"
			"pat_1779541a1267df82cbaa60c6db7ccf8b»",
	    .negative = "shpat_x" },
	{ .name = "razorpay-key",
	    .literals = { "rzp_live_", "rzp_test_" },
	    .pattern = EDGE "rzp_(?:live|test)_[A-Za-z0-9]{14,}+",
	    .positive = "«rz"
			"p_live_emn2xKIDd95MTr»",
	    .negative = "rzp_test_mode" },
	{ .name = "facebook-token",
	    .literals = { "EAAC", "EAAB", "EAAG", "EAAJ", "EAAM" },
	    .pattern = "(?<![A-Za-z0-9+/=_-])EAA[BCGJM][A-Za-z0-9]{80,}+(?![+/=_-])",
	    .positive = "«EA"
			"ACZb3LCGoMpuE0W71apHcEKkVKV6n7xmqEtgsj2Xyf2m2tG1d6CGA48amkBQuAhSPUWMDP"
			"NZDtYmIEvAjQRJP3aMFtBOnitiyp1GtvwjNGN83X74DS5FcFHbD1kSXqyh4NvId242RyeB"
			"LCmWlGLMCtOpcRL7IQswH3»",
	    .negative = "EAAC is a prefix" },

	/* models */
	{ .name = "anthropic-key",
	    .literals = { "sk-ant-" },
	    .pattern = EDGE "sk-ant-[A-Za-z0-9_-]{24,}+",
	    .positive = "«sk"
			"-ant-api03-ZV6guL2FBaKb6vOXFWOotmyzSDYnfhP0mecMHPDFwTbwuJiOHebzpxErHBF"
			"rjxzQSSLe05YUHb6kKK2AmgoqI1k6tR9Pprz»",
	    .negative = "sk-ant-key" },
	{ .name = "openai-key",
	    .literals = { "sk-" },
	    .pattern = EDGE "sk-(?:(?:proj|svcacct|admin|None|or-v1|lf)-[A-Za-z0-9_-]{32,}+|[A-Za-z"
			    "0-9]{32,}+)",
	    .positive = "«sk"
			"-proj-AHpUFhBWp2iVWXo4JfQEWSF6pIaPjrOFQpADt1qaUFHGagoOgkspgvkrxoQDqFg7"
			"oXdxFlxClRVYpauN7o2ion9bagDsqMJT1gdNCLHDfDmZhmw3QMBqyYlz»",
	    .negative = "sk-fading-circle and task-force-on-something-rather-long" },
	{ .name = "huggingface-token",
	    .literals = { "hf_", "api_org_" },
	    .pattern = EDGE "(?:hf|api_org)_[A-Za-z]{30,}+(?![0-9_-])",
	    .positive = "«hf"
			"_OMWgRKoTJcUwbxioViFvzzqpbribSlCWiQ»",
	    .negative = "hf_hub_download" },
	{ .name = "replicate-token",
	    .literals = { "r8_" },
	    .pattern = EDGE "r8_[A-Za-z0-9]{37,40}(?![A-Za-z0-9])",
	    .positive = "«r8"
			"_Njow372igYMaHHe6B8t70C6zI6FEXtccVjT7L»",
	    .negative = "r8_unorm" },
	{ .name = "groq-key",
	    .literals = { "gsk_" },
	    .pattern = EDGE "gsk_[A-Za-z0-9]{40,}+",
	    .positive = "«gs"
			"k_mzDcSVMzkIgTYlXfD1vECxB5N1oxgz4C12paYrubMVy8KGbYp0Qz»",
	    .negative = "gsk_test" },
	{ .name = "perplexity-key",
	    .literals = { "pplx-" },
	    .pattern = EDGE "pplx-[A-Za-z0-9]{40,}+",
	    .positive = "«pp"
			"lx-fUdcuEfEngsuEgf1UgW9i0Zg84dz5ppeQ5TmUf1ZvhoJM8R1»",
	    .negative = "pplx-7b-online" },
	{ .name = "xai-key",
	    .literals = { "xai-" },
	    .pattern = EDGE "xai-[A-Za-z0-9]{60,}+",
	    .positive = "«xa"
			"i-5TT7PJT7wGuj0T7H6th0YARDJYoCdendcCy6i0UaWXuZP88xyCVqNpbz3ChWn8wYSa6F"
			"IRDXDAfOaT3g»",
	    .negative = "xai-labs" },

	/* work tools, monitoring */
	{ .name = "notion-token",
	    .literals = { "ntn_", "secret_" },
	    .pattern = EDGE "(?:ntn_[A-Za-z0-9]{40,}+|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9]))",
	    .positive = "«nt"
			"n_0Oh2fzimlZBHy2BWX8bjqePYpNUX5scbAwQZwoRb5zVyIM»",
	    .negative = "secret_name" },
	{ .name = "linear-key",
	    .literals = { "lin_api_", "lin_oauth_" },
	    .pattern = EDGE "lin_(?:api|oauth)_[A-Za-z0-9]{32,}+",
	    .positive = "«li"
			"n_api_8wBQtw3SD3z0fNJhMAnF2sRb1LBgnaIhzgQjjmwI»",
	    .negative = "lin_api_x" },
	{ .name = "figma-token",
	    .literals = { "figd_", "figo_" },
	    .pattern = EDGE "fig[do]_[A-Za-z0-9_-]{40,}+",
	    .positive = "«fi"
			"gd_kyc8vwP7jLEJ92pbKND3J9TJYPxevVimsMCHlofz»",
	    .negative = "figd_x" },
	{ .name = "dropbox-token",
	    .literals = { "sl." },
	    .pattern = EDGE "sl\\.(?:u\\.)?[A-Za-z0-9_-]{120,}+",
	    .positive = "«sl"
			".BjDDQXAuwvU3RmWqSIc5I7UDmuPfKQovgZH2RYtE2AbkABPjvJeXPnUWMrzQfonhIFCQ5"
			"qQMPtrB0A79ChjpS82y7jL7lsrKyF0TXlAYr0FiPhRlTi2q67roshP1RUVs6vt3Q3z»",
	    .negative = "sl.example" },
	{ .name = "grafana-token",
	    .literals = { "glsa_", "glc_" },
	    .pattern = EDGE "(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{50,}+)",
	    .positive = "«gl"
			"sa_dr6tZm937W2mZHdwEUFPNzT2HCAv2Fys_0fd4a657»",
	    .negative = "glc_init" },
	{ .name = "newrelic-key",
	    .literals = { "NRAK-", "NRII-", "NRJS-", "NRAA-" },
	    .pattern = EDGE "NR(?:AK|II|JS|AA)-[A-Za-z0-9_-]{19,}+",
	    .positive = "«NR"
			"AK-ULGPO960R5OUMEMH1Z4JANGC2O8»",
	    .negative = "NRAK-x" },
	{ .name = "dynatrace-token",
	    .literals = { "dt0c01.", "dt0s" },
	    .pattern = EDGE "dt0[a-z][0-9]{2}\\.[A-Z0-9]{8,24}\\.[A-Z0-9]{64}",
	    .positive = "«dt"
			"0c01.RLRPPHT8Y5U6QFJ39M1VYAI8.KWP2K3S9CN0H1NLDP8USUNAUFR6ZF19AQOTLIRC2"
			"CLXRCQ9J4I5N13ZEHU4QDHKA»",
	    .negative = "dt0c01.x" },
	{ .name = "contentful-token",
	    .literals = { "CFPAT-" },
	    .pattern = EDGE "CFPAT-[A-Za-z0-9_-]{40,}+",
	    .positive = "«CF"
			"PAT-5xVAlwnxZHYzcPEZk7Vpz5u4XaJbyy7RI2KYPrfum2z»",
	    .negative = "CFPAT-x" },
	{ .name = "mapbox-secret",
	    .literals = { "sk.eyJ" },
	    .pattern = EDGE "sk\\.eyJ[A-Za-z0-9_-]{20,}+\\.[A-Za-z0-9_-]{20,}+",
	    .positive = "«sk"
			".eyJoQFDR5BdBUXELhEnIlSchElUrxSmp51YscsO3cLNFHbK1lBs3GOWsMNAfQQz.mPf5R"
			"p5xSEdtq6xu7ldfpz»",
	    .negative = "sk.eyJ" },

	/* forms, whoever made them */
	{ .name = "jwt",
	    .literals = { "eyJ" },
	    .pattern = EDGE "eyJ[A-Za-z0-9_-]{8,}+\\.eyJ[A-Za-z0-9_-]{4,}+(?:\\.[A-Za-z0-9_-]*+)*+",
	    .positive = "«ey"
			"JhbGciOiJIUzI1NiJ9.eyJzdWIiOiI6UXWZKkvCz.pZY50jyvFFEuC0NpcqZIyoWP2mGeN"
			"Ufb0u4s1FVeScz»",
	    .negative = "\"eyJhbGciOiJIUzI1NiJ9\" is a header" },
	{ .name = "bearer",
	    .literals = { "bearer " },
	    .is_caseless = true,
	    .pattern = "(?i)bearer +([A-Za-z0-9_~+/.-]{16,}+={0,2})",
	    .positive = "Authorization: Be"
			"arer «Hu7z2oWKHrxgVUHW4sfOMeXQcNbqWQxu0dtjpN11»",
	    .negative = "the bearer of good news, bearer authentication" },
	{ .name = "basic-auth",
	    .literals = { "Basic ", "basic " },
	    .pattern = "(?<![A-Za-z0-9_-])[Bb]asic +(?=[A-Za-z+/]{0,64}[0-9=])([A-Za-z0-9+/]{1"
		       "2,}+={0,2})",
	    .positive = "Authorization: Ba"
			"sic «dXNlVPMBbhxsVKz6AAzUDHJTSGahGDk==»",
	    .negative = "a basic understanding" },
	{ .name = "url-password",
	    .literals = { "://" },
	    .pattern =
		"://[^\\s/:@?#\"\\x27<>{}|\\\\]{0,128}+:(?!(?:\\$|\\{|<|%[sdv@]|\\*+@|x+@|\\.+@)"
		")([^\\s/@\"\\x27<>|\\\\]{1,256})@",
	    .positive = "postgres:/"
			"/app:«hunter2:1»@db.internal:5432/app",
	    .negative = "https://example.org:8080/@scope and http://u:${PASS}@h" },
	/* With its end, whatever stands between (a diff, a quoted text) as long as there is a run of
	 * base64; without, as far as it goes on looking like a key. */
	{ .name = "private-key",
	    .literals = { "-----BEGIN " },
	    .pattern = "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
		       "(?=(?:[^-]|-(?!----)){0,600}?[A-Za-z0-9+/]{24})"
		       "(?:(?:[^-]++|-(?!----(?:BEGIN|END) ))*+"
		       "-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|"
		       "(?:[A-Za-z0-9+/=:,.\\s-]|\\\\[nrt])*+)",
	    .positive = "key: «-----BEG"
			"IN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAxGKXvbT3p0"
			"1Yq9\nAAAA\n-----END RSA PRIVATE KEY-----»\n",
	    .negative = "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----" },
	{ .name = "putty-key",
	    .literals = { "Private-Lines:" },
	    .pattern = "Private-Lines: *[0-9]{1,4}(?:\\s|\\\\[nr])++((?:[A-Za-z0-9+/=]{16,}+(?:\\s"
		       "|\\\\[nr])*+)+)",
	    .positive = "Pr"
			"ivate-Lines: 2\\n«S8l013r7Lq4aEwIhtLoQ2fYZ4rvoSyE5Fe4iatS3Hi7TqmjGwT3v7"
			"MtpJJnsRpsC\\nVv8IbH72UUrVfGy82K4ouN9l4Zwa9usuv1rEfS8U».",
	    .negative = "Private-Lines: none" },
	{ .name = "age-key",
	    .literals = { "AGE-SECRET-KEY-" },
	    .pattern = EDGE "AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}+",
	    .positive = "«AG"
			"E-SECRET-KEY-1HSGBPU240C1SVMMJKSWGMORBAXOAB81YLWBZR0Q75R0LE4R2WIQA4D77"
			"KF»",
	    .negative = "AGE-SECRET-KEY-1 is a prefix" },
	{ .name = "wallet-key",
	    .literals = { "xprv", "zprv", "yprv" },
	    .pattern = EDGE "[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,}+",
	    .positive = "«xp"
			"rv9nS6WUtxPxQDnHHzT4r78JVfxAqCN1ggwCQaBtV68WsBfkXLSShR7vCZ3aoFmGu2szeP"
			"2Kk8GNnMzB5KqkPmBPUJJBDwGmqEfdH9DhvqRj9»",
	    .negative = "xprv and xpub" },
	{ .name = "otp-secret",
	    .literals = { "otpauth" },
	    .pattern = "otpauth(?:-migration)?://[^\\s\"\\x27<>]{0,512}?[?&](?:secret|data)=([A-Z"
		       "a-z0-9%+/=]{8,}+)",
	    .positive = "ot"
			"pauth://totp/a:b?secret=«JSSLGVO2EEVB4ISSF2W2ANKTNXNQDY7E»&issuer=a",
	    .negative = "otpauth://totp/x is the form" },
	{ .name = "netrc",
	    .literals = { "machine " },
	    .pattern = "machine +\\S{1,256}\\s{1,8}login +\\S{1,256}\\s{1,8}password +(\\S{1,256})",
	    .positive = "ma"
			"chine h login me password «hunter2»",
	    .negative = "a machine has a login and a password field" },
	{ .name = "curl-user",
	    .literals = { "curl " },
	    .pattern =
		"curl [^\\n|;&]{0,256}?(?:-u|--user)[ =][\"\\x27]?[^\\s:\"\\x27]{1,64}:(?!\\$)"
		"([^\\s\"\\x27]{4,128})",
	    .positive = "cu"
			"rl -s -u bob:«s3cr3t» https://example.org",
	    .negative = "curl -u user https://example.org" },
	{ .name = "cookie",
	    .literals = { "cookie:" },
	    .is_caseless = true,
	    .pattern = "(?i)cookie: {0,4}[^\\s=;]{1,64}=([A-Za-z0-9%._~+/=-]{16,}+)",
	    .positive = "Set-Co"
			"okie: sid=«AyJJaQasBDBZt9Cip8EeFvz54TzejLYGgc0SceXZ»; HttpOnly",
	    .negative = "cookie: yes" },
};
const size_t redact_rules_len = ARRAY_LEN(redact_rules);

/* ---- names ---- */

/*
 * A name's ending, in small letters without the joints between its words ("DB_API-Key" is
 * "dbapikey"). `unless` and `only` are words right before it: those make it harmless, of these
 * one must be there. The ending itself is the literal that the prefilter looks for in text.
 */
#define ENDING(text) .ending = (text), .ending_len = sizeof(text) - 1

const struct redact_name redact_names[] = {
	{ ENDING("password"), .unless = "no has is forgot reset show hide change check",
	    .kind = REDACT_ANY,
	    .positive = "db_password="
			"«hunter2»;host=x",
	    .negative = "password: required, forgot_password=hunter2x" },
	{ ENDING("passwd"), .kind = REDACT_ANY,
	    .positive = "MYSQL_PASSWD="
			"«letmein» mysql",
	    .negative = "root:x:0:0 in /etc/passwd: see passwd(5)" },
	{ ENDING("passphrase"), .kind = REDACT_ANY,
	    .positive = "\"keyPassphrase\""
			": \"«anything»\"",
	    .negative = "passphrase = getPassphrase2()" },
	{ ENDING("passcode"), .kind = REDACT_ANY,
	    .positive = "<passcode>"
			"«a1b2c3»</passcode>",
	    .negative = "the passcode is on page 12" },
	{ ENDING("pwd"), .unless = "old", .kind = REDACT_ANY,
	    .positive = "Server=h;Uid=sa;Pwd="
			"«Str0ng"
			"!pw»;",
	    .negative = "PWD=/home/me/project OLDPWD=/home/me pwd=$PWD" },
	{ ENDING("pass"),
	    .only =
		"db database user smtp mail ftp ssh mysql pg postgres redis mongo admin root login "
		"http proxy auth keystore truststore store key sudo vault bind ldap",
	    .kind = REDACT_ANY,
	    .positive = "SMTP_PASS="
			"«opensesame»",
	    .negative = "second_pass=hunter2 bypass=hunter2" },
	{ ENDING("secret"), .unless = "is has no", .kind = REDACT_LIKELY,
	    .positive = "client_secret: "
			"«8kPq3vZt1LmX9wRb»",
	    .negative = "secret: db-credentials-v2 secret=${VALUE1}" },
	{ ENDING("token"),
	    .unless =
		"next page continuation cursor sync delta resume start end eos bos pad unk sep cls "
		"mask special first last stop max min per progress cancel cancellation design "
		"syntax previous prev before after marker num total count",
	    .kind = REDACT_LIKELY,
	    .positive = "export GITHUB_PERSONAL_ACCESS_TOKEN="
			"«abcdefghijk»",
	    .negative =
		"the word token: nothing; nextPageToken=a8F3kd92Lm4xQ7 token = tokens[i1]" },
	{ ENDING("key"),
	    .only =
		"api access secret private auth signing encryption encrypt master shared account "
		"storage consumer client webhook hmac aes",
	    .unless = "public", .kind = REDACT_LIKELY,
	    .positive = "\"apiKey\""
			":\"«8kPq3vZt1LmX9wRb»\"",
	    .negative = "primary_key: a8F3kd92Lm4xQ7, key=8kPq3vZt1LmX9wRb, access_key: none" },
	{ ENDING("credential"), .kind = REDACT_RANDOM,
	    .positive = "credential = '"
			"«8kPq3vZt1LmX9wRb»'",
	    .negative = "credential: include" },
	{ ENDING("credentials"), .kind = REDACT_RANDOM,
	    .positive = "AUTH_CREDENTIALS="
			"«8kPq3vZt1LmX9wRb»",
	    .negative = "\"credentials\": \"same-origin\"" },
	{ ENDING("authorization"), .kind = REDACT_RANDOM,
	    .positive = "authorization: "
			"«8kPq3vZt1LmX9wRb»",
	    .negative = "authorization: required" },
};
const size_t redact_names_len = ARRAY_LEN(redact_names);

/* Words that may follow the ending and change nothing: "secretString", "SECRET_KEY_BASE". */
const char *const redact_name_tails[] = { "value", "string", "plaintext", "base64", "b64", "raw",
	"base", "old", "new", "current", "confirmation", "confirm", "repeat", "again", NULL };

/*
 * What stands between a name and its value, and the value: group 2 in quotes of any kind, with
 * backslashes before them when the text is JSON within JSON, or group 3 without. The first is
 * for NAME=VALUE, "name": "value", <name>value< and name="…" value="…"; the second for --name VALUE.
 */
#define VALUE                                                                                      \
	"(?:(\\\\{0,7}[\"'`])((?:[^\\n\\\\\"'`]++|(?!\\1)(?:\\\\.|[\"'`]))++)"                     \
	"|([^\\s\"'`<>,;&|(){}\\[\\]\\\\]{4,1024}+))"
const char redact_assigned_pattern[] =
    "(?:\\\\{0,7}[\"'`])?\\]?(?:[ \\t]{0,16}(?:={1,3}>?|:=|:(?!:)|>)[ \\t]{0,16}|"
    "\\s{1,16}value[ \\t]{0,4}[:=][ \\t]{0,4})" VALUE;
const char redact_option_pattern[] = "[ \\t]{1,16}" VALUE;
