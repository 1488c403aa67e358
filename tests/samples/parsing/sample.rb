# frozen_string_literal: true
require 'set'

module Net
  # Talks.
  # Much.
  class Client < Base
    LIMIT = 3
    attr_reader :name

    def call(path, tries = 2, *rest, timeout: 30, key:, **more, &block)
      raise ArgumentError, "no path" if path.nil?
      raise Timeout.new("late") unless tries > 1
      raise "plain"
      if tries == 1 || path =~ /x/
        one(path)
      elsif key
        two
      else
        three
      end
      unless done?
        four
      else
        five
      end
      until empty?
        drain(1)
      end
      case kind
      when 1, 2
        low
      else
        high
      end
      begin
        go
      rescue IOError, Net::Error => e
        stop(e)
      rescue
        retry
      end
      @zone = ENV["ZONE"] || "utc"
      key = ENV.fetch("KEY", "none")
      http.get(path, retries: 3) { |x| x + 1 }
      opts = { depth: 1, :size => 2, "name" => "n" }
      tries += 1
      return 5 if opts
      @total * 2
    end

    def self.make; end
  end
end
