;;; look.el --- What the tests look at  -*- lexical-binding: t; -*-
(require 'json)

(defvar look-said nil "What was said in the echo area, newest first.")

(defun look--buffer ()
  "The buffer that the person is in; the document's, while a question stands in the minibuffer."
  (window-buffer (or (minibuffer-selected-window) (selected-window))))

(defun look (function)
  "What FUNCTION gives in the person's buffer, as JSON in base 64, which no printer changes."
  (with-current-buffer (look--buffer)
    (base64-encode-string (encode-coding-string (json-encode (funcall function)) 'utf-8) t)))

(defun look-findings ()
  "Every finding of the buffer: its code, message, 1-based line, and the text it stands under."
  (vconcat
   (mapcar (lambda (each)
             (let ((said (cdr (assq 'eglot-lsp-diag (flymake-diagnostic-data each)))))
               `((code . ,(plist-get said :code))
                 (message . ,(plist-get said :message))
                 (line . ,(line-number-at-pos (flymake-diagnostic-beg each)))
                 (text . ,(buffer-substring-no-properties (flymake-diagnostic-beg each)
                                                          (flymake-diagnostic-end each))))))
           (flymake-diagnostics))))

(defun look-has (code &optional line)
  "Whether a finding with this CODE stands on this LINE, on any when it is nil."
  (seq-some (lambda (each)
              (and (equal (alist-get 'code each) code) (or (not line) (equal (alist-get 'line each) line))))
            (look-findings)))

(defun look-at (text)
  "Put point on the first place of TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0))
  (line-number-at-pos))

(defun look-text (name)
  "The text of the buffer NAME, nil where there is none."
  (when (get-buffer name)
    (with-current-buffer name (buffer-substring-no-properties (point-min) (point-max)))))

(defun look-question ()
  "The question in the minibuffer, nil where there is none."
  (when (active-minibuffer-window)
    (with-current-buffer (window-buffer (active-minibuffer-window)) (buffer-string))))

(defun look-heard (text)
  "Whether TEXT was said in the echo area since the start."
  (let ((said (look-text "*Messages*")))
    (and said (string-match-p (regexp-quote text) said) t)))

(defun look-at-rest ()
  "Whether the server has taken what was typed."
  (and (eglot-managed-p) (not eglot--recent-changes)))
