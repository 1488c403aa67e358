;;; init.el --- A person's configuration: what editors/emacs.md says, and a way in for the test  -*- lexical-binding: t; -*-
(setq inhibit-startup-screen t
      make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      ring-bell-function #'ignore
      suggest-key-bindings nil
      ;; Each test has a home of its own: nothing stays compiled.
      native-comp-deferred-compilation nil
      comp-files-queue nil
      native-comp-async-report-warnings-errors nil
      use-short-answers t
      enable-local-variables :safe)
(require 'package)
(package-initialize)
(require 'server)
(setq server-socket-dir (getenv "LOOK_FOLDER")
      server-name "e")
(load (expand-file-name "page.el" (getenv "LOOK_FOLDER")) nil t)
(load (getenv "LOOK_FILE") nil t)
(server-start)
